"""`clusterwright check` with 100 ms per AWS call, compared with ParallelCluster's dry run.

The lower bound is the longest chain of calls that wait for one another, a page of results counted
as a call, times 100 ms. Start-up is the same command where answers take no time. `pcluster
create-cluster --dryrun true` runs from its own environment, against the same local AWS, on a
configuration of the same nodes and file system.
"""

from __future__ import annotations

import atexit
import functools
import json
import os
import statistics
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import boto3
from ruamel.yaml import YAML

from benchmarks.compare import ROOT, Comparison, base_environment
from benchmarks.local_aws import Server
from tools.setup import clients

LATENCY_S = 0.1
TARGET_FACTOR = 1.6
TARGET_RATIO = 3.0
TARGET_MB = 160
_ACCOUNT = "111122223333"
_REGION = "us-east-1"
_ZONE = "use1-az6"
_EXAMPLE = ROOT / "configs" / "examples" / "p5-64.yaml"
_GROUPS = 20


@dataclass
class Case:
    """One spec, the ParallelCluster configuration of the same size, and the results."""

    name: str
    config: Path
    queues: tuple[tuple[str, int], ...]
    """Instance type and count of each queue."""

    folder: Path
    slow: list[float] = field(default_factory=list)
    quick: list[float] = field(default_factory=list)
    pcluster: list[float] = field(default_factory=list)
    peak_mb: list[float] = field(default_factory=list)

    def check_slow(self) -> float:
        return self._check(_server(self.folder, 100), self.slow)

    def check_quick(self) -> float:
        return self._check(_server(self.folder, 0), self.quick)

    def dry_run(self) -> float:
        """Seconds of ParallelCluster's dry run; it exits with 1 after every one."""
        words = [str(clients.program("pcluster")), *self._dry_run_words()]
        seconds, _, out = _run(words, _environment(_server(self.folder, 100)), self.folder, (1,))
        if "DryRun flag is set" not in out:
            raise RuntimeError(f"pcluster refuses what is compared:\n{out[-2000:]}")
        self.pcluster.append(seconds)
        return seconds

    def memory(self) -> float:
        self.check_slow()
        return self.peak_mb[-1]

    @functools.cached_property
    def answer(self) -> dict[str, Any]:
        """The figures of the check, compared with the calls recorded by the local AWS."""
        server = _server(self.folder, 0)
        before = _calls(self.folder, 0)
        words = ["clusterwright", "check", str(self.config), "--format", "json"]
        _, _, out = _run(words, _environment(server), ROOT, (0, 1, 2))
        found: dict[str, Any] = json.loads(out)
        recorded = _calls(self.folder, 0) - before
        if recorded != found["api_calls"]:
            raise RuntimeError(f"{found['api_calls']} calls were counted, {recorded} were made")
        return found

    @property
    def lower_bound_s(self) -> float:
        return float(self.answer["longest_chain"]) * LATENCY_S

    @functools.cached_property
    def validators(self) -> int:
        """Kinds of validators that ParallelCluster runs in the dry run."""
        python = clients.program("pcluster").with_name("python")
        script = Path(__file__).with_name("count_validators.py")
        words = [str(python), str(script), *self._dry_run_words()]
        _, _, out = _run(words, _environment(_server(self.folder, 0)), self.folder, (0, 1))
        return int(out.rsplit("validators ", 1)[1].split()[0])

    def _check(self, server: Server, seconds: list[float]) -> float:
        words = ["clusterwright", "check", str(self.config)]
        taken, peak, _ = _run(words, _environment(server), ROOT, (0, 1, 2))
        seconds.append(taken)
        self.peak_mb.append(peak)
        return taken

    def _dry_run_words(self) -> list[str]:
        path = self.folder / f"{self.name}.pcluster.yaml"
        path.write_text(json.dumps(_configuration(self.folder, self.queues)), encoding="utf-8")
        return [
            *("create-cluster", "--cluster-name", "train", "--dryrun", "true"),
            *("--cluster-configuration", str(path)),
        ]


def gate_comparisons(folder: Path) -> list[Comparison]:
    """The example of 64 nodes and one of 20 groups."""
    found: list[Comparison] = []
    for case in _cases(folder):
        found += [
            Comparison(
                f"clusterwright check, {case.name}, 100 ms per call",
                case.check_slow,
                case.check_quick,
                "the same, 0 ms per call",
            ),
            Comparison(
                f"clusterwright check, {case.name}, beside pcluster",
                case.check_slow,
                case.dry_run,
                "pcluster --dryrun, 100 ms per call",
                target_ratio=round(1 / TARGET_RATIO, 3),
            ),
            Comparison(
                f"peak memory of clusterwright check, {case.name}",
                case.memory,
                functools.partial(_memory_of_nothing, folder),
                "clusterwright --help",
                unit="MB",
                target_seconds=TARGET_MB,
                most_runs=3,
            ),
        ]
    return found


def gate_table() -> list[str]:
    """Additional figures: lower bounds, calls, and the number of rules."""
    lines: list[str] = []
    for case in _KNOWN:
        if not case.slow or not case.quick:
            continue
        slow, quick = statistics.median(case.slow), statistics.median(case.quick)
        allowed = quick + TARGET_FACTOR * case.lower_bound_s
        tried = [rule for rule in case.answer["rules"] if rule["tested"]]
        lines += [
            "",
            f"clusterwright check, {case.name}",
            f"  calls {case.answer['api_calls']}, longest chain {case.answer['longest_chain']}, "
            f"lower bound {case.lower_bound_s:.1f} s",
            f"  {slow:.2f} s; start-up {quick:.2f} s + {TARGET_FACTOR} x the bound is "
            f"{allowed:.2f} s; over start-up {(slow - quick) / case.lower_bound_s:.2f} x the bound"
            f" (quickest runs: {(min(case.slow) - min(case.quick)) / case.lower_bound_s:.2f} x)",
            f"  rules {len(case.answer['rules'])}, with something to look at {len(tried)}"
            + (f"; pcluster's validators {case.validators}" if case.pcluster else ""),
        ]
        if case.pcluster:
            ratio = statistics.median(case.pcluster) / slow
            lines.append(f"  pcluster --dryrun takes {ratio:.1f} x as long")
    return lines


def gate_figures() -> list[dict[str, Any]]:
    """The additional figures for the JSON output."""
    return [
        {
            "case": case.name,
            "seconds": case.slow,
            "start_up_seconds": case.quick,
            "pcluster_seconds": case.pcluster,
            "peak_mb": case.peak_mb,
            "api_calls": case.answer["api_calls"],
            "longest_chain": case.answer["longest_chain"],
            "rules_tried": sum(1 for rule in case.answer["rules"] if rule["tested"]),
            "validators": case.validators if case.pcluster else None,
        }
        for case in _KNOWN
        if case.slow and case.quick
    ]


_KNOWN: list[Case] = []


def _cases(folder: Path) -> list[Case]:
    yaml = YAML(typ="safe")
    spec = yaml.load(_EXAMPLE.read_text(encoding="utf-8"))
    many = folder / "twenty-groups.yaml"
    types = ("p5.48xlarge", "p5en.48xlarge", "p4d.24xlarge", "g6e.48xlarge")
    groups = [(types[number % len(types)], 2) for number in range(_GROUPS)]
    spec["environment"] = "twenty-groups"
    spec["compute"] = [
        *(group for group in spec["compute"] if group["role"] != "compute"),
        *(
            {
                "name": f"group-{number:02}",
                "role": "compute",
                "instance_type": instance_type,
                "count": count,
            }
            for number, (instance_type, count) in enumerate(groups)
        ),
    ]
    many.write_text(json.dumps(spec, indent=1), encoding="utf-8")
    if not _KNOWN:
        _KNOWN.append(Case("64 nodes", _EXAMPLE, (("p5.48xlarge", 64),), folder))
        _KNOWN.append(Case("20 groups", many, tuple(groups), folder))
    return _KNOWN


def _configuration(folder: Path, queues: Sequence[tuple[str, int]]) -> dict[str, Any]:
    """ParallelCluster's configuration of the same nodes, network and file system."""
    site = _site(_server(folder, 100).url), _site(_server(folder, 0).url)
    assert site[0].keys() == site[1].keys()
    return {
        "Region": _REGION,
        "Image": {"Os": "ubuntu2204"},
        "HeadNode": {
            "InstanceType": "m5.12xlarge",
            "Networking": {"SubnetId": "subnet-0123456789abcdef0"},
            "Ssh": {"KeyName": "train"},
            "Imds": {"Secured": True},
        },
        "Scheduling": {
            "Scheduler": "slurm",
            "SlurmQueues": [
                {
                    "Name": f"queue{number}",
                    "Networking": {
                        "SubnetIds": ["subnet-0123456789abcdef1"],
                        "PlacementGroup": {"Enabled": True},
                    },
                    "Iam": {
                        "AdditionalIamPolicies": [
                            {"Policy": "arn:aws:iam::aws:policy/AmazonSSMManagedInstanceCore"}
                        ]
                    },
                    "ComputeResources": [
                        {
                            "Name": f"nodes{number}",
                            "InstanceType": instance_type,
                            "MinCount": count,
                            "MaxCount": count,
                            "Efa": {"Enabled": True},
                        }
                    ],
                }
                for number, (instance_type, count) in enumerate(queues)
            ],
        },
        "SharedStorage": [
            {
                "Name": "fsx",
                "MountDir": "/fsx",
                "StorageType": "FsxLustre",
                "FsxLustreSettings": {
                    "StorageCapacity": 38400,
                    "DeploymentType": "PERSISTENT_2",
                    "PerUnitStorageThroughput": 500,
                    "DataRepositoryAssociations": [
                        {
                            "Name": f"data{number}",
                            "DataRepositoryPath": bucket,
                            "FileSystemPath": path,
                        }
                        for number, (bucket, path) in enumerate(
                            (("s3://acme-corpus/tokens", "/data"), ("s3://acme-checkpoints", "/c"))
                        )
                    ],
                },
            }
        ],
    }


_WORLD = {
    "extends": "generous",
    "subnets": [
        {
            "id": f"subnet-0123456789abcdef{number}",
            "vpc_id": "vpc-0123456789abcdef0",
            "cidr": cidr,
            "zone_id": _ZONE,
        }
        for number, cidr in enumerate(("10.0.0.0/24", "10.0.16.0/20"))
    ],
}


@functools.cache
def _server(folder: Path, latency_ms: int) -> Server:
    world = folder / f"world-{latency_ms}.yaml"
    latency = {"latency_ms": {"*": latency_ms}}
    world.write_text(json.dumps(_WORLD | latency), encoding="utf-8")
    server = Server(
        *("clusterwright", "localaws", "--port", "0", "--world", str(world)),
        *("--record", str(_record(folder, latency_ms))),
    )
    atexit.register(server.end)
    return server


@functools.cache
def _site(url: str) -> dict[str, Any]:
    """The resources that ParallelCluster requires: DNS names in the VPC, and a key pair."""
    ec2 = boto3.client(
        "ec2", _REGION, endpoint_url=url, aws_access_key_id=_ACCOUNT, aws_secret_access_key="local"
    )
    ec2.modify_vpc_attribute(VpcId="vpc-0123456789abcdef0", EnableDnsHostnames={"Value": True})
    made: dict[str, Any] = ec2.create_key_pair(KeyName="train", KeyType="ed25519")
    return made


def _record(folder: Path, latency_ms: int) -> Path:
    return folder / f"calls-{latency_ms}.jsonl"


def _calls(folder: Path, latency_ms: int) -> int:
    return len(_record(folder, latency_ms).read_text(encoding="utf-8").splitlines())


def _environment(server: Server) -> dict[str, str]:
    return {
        **base_environment(),
        "AWS_ENDPOINT_URL": server.url,
        # Buckets stand before the host in other clients' addresses of S3.
        "AWS_ENDPOINT_URL_S3": server.url.replace("localhost", "127.0.0.1"),
        "AWS_ACCESS_KEY_ID": _ACCOUNT,
        "AWS_SECRET_ACCESS_KEY": "local",
        "AWS_DEFAULT_REGION": _REGION,
        "AWS_REGION": _REGION,
        "AWS_EC2_METADATA_DISABLED": "true",
    }


def _memory_of_nothing(folder: Path) -> float:
    return _run(["clusterwright", "--help"], base_environment(), folder, (0,))[1]


def _run(
    words: Sequence[str], environment: Mapping[str, str], folder: Path, codes: Sequence[int]
) -> tuple[float, float, str]:
    """Seconds, peak memory in MB (the kernel's maximum resident set), and what it printed."""
    with tempfile.TemporaryFile("w+", encoding="utf-8") as stream:
        started = time.perf_counter()
        process = subprocess.Popen(
            list(words),
            cwd=folder,
            env=dict(environment),
            stdin=subprocess.DEVNULL,
            stdout=stream,
            stderr=subprocess.STDOUT,
        )
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - started
        process.returncode = code = os.waitstatus_to_exitcode(status)
        stream.seek(0)
        said = stream.read()
    if code not in codes:
        raise RuntimeError(f"`{' '.join(words)}` exited with {code}:\n{said[-2000:]}")
    return seconds, usage.ru_maxrss / 1024, said
