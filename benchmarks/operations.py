"""`clusterwright status` of 1,024 nodes with 100 ms per answer; rounds that name a bad node.

The lower bound of `status` is its longest chain of calls that wait for one another, the pages of
ListClusterNodes, times 100 ms. Compared is the time above that of the same command where answers
take no time, so that neither the start of Python nor the local AWS is counted.
"""

from __future__ import annotations

import atexit
import datetime as dt
import functools
import importlib
import json
import statistics
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import boto3

from benchmarks.compare import ROOT, Comparison, command
from benchmarks.local_aws import Server
from clusterwright.platforms.hyperpod.instance_groups import lifecycle_bucket
from clusterwright.platforms.loading import load_cluster

LATENCY_MS = 100
TARGET_FACTOR = 1.6
NODES = 1024
SIMULATED_NODES = 128
_ATTEMPTS = 3
_ACCOUNT = "111122223333"
_REGION = "us-east-1"
_ZONE = "use1-az6"
_SPEC: dict[str, Any] = {
    "environment": "bench",
    "account": _ACCOUNT,
    "region": _REGION,
    "network": {"availability_zone_id": _ZONE},
    "platform": "hyperpod-slurm",
    "compute": [
        {"name": "controller", "role": "controller", "instance_type": "m5.4xlarge", "count": 1},
        {"name": "workers", "role": "compute", "instance_type": "p5.48xlarge", "count": NODES},
    ],
}


def status_comparisons(folder: Path) -> list[Comparison]:
    """Reading a large cluster."""
    status = Status(folder)
    return [
        Comparison(
            f"clusterwright status, {NODES:,} nodes, {LATENCY_MS} ms per call, above start-up",
            status.above_start_up,
            status.lower_bound,
            "its longest chain of calls",
            target_ratio=TARGET_FACTOR,
        )
    ]


def naming_comparisons() -> list[Comparison]:
    """The planner of pairs, with each node in turn as the bad one."""
    return [
        Comparison(
            f"acceptance: name one bad node of {SIMULATED_NODES}, rounds",
            lambda: statistics.fmean(rounds for rounds, _ in _naming()),
            lambda: float(_program().optimum_rounds(1)),
            "the fewest that can",
            target_ratio=1.0,
            unit="rounds",
        ),
        Comparison(
            f"acceptance: name one bad node of {SIMULATED_NODES}, tests of a node",
            lambda: statistics.fmean(tests for _, tests in _naming()),
            lambda: float(SIMULATED_NODES),
            "each node once",
            unit="tests",
        ),
    ]


class Status:
    """The command against two local AWS: with and without latency."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def above_start_up(self) -> float:
        """Seconds with latency less seconds without, each the quickest of three.

        Other load only adds to either, and would double or hide a difference of single runs.
        """
        found = [(self._seconds(LATENCY_MS), self._seconds(0)) for _ in range(_ATTEMPTS)]
        return min(slow for slow, _ in found) - min(quick for _, quick in found)

    def lower_bound(self) -> float:
        """Seconds of the pages of ListClusterNodes, as the local AWS recorded them."""
        self._server(0)
        before = self._pages()
        self._seconds(0)
        return (self._pages() - before) * LATENCY_MS / 1000

    def _seconds(self, latency_ms: int) -> float:
        environment = {
            "AWS_ENDPOINT_URL": self._server(latency_ms).url,
            "AWS_ACCESS_KEY_ID": _ACCOUNT,
            "AWS_SECRET_ACCESS_KEY": "local",
            "AWS_EC2_METADATA_DISABLED": "true",
        }
        words = ("clusterwright", "status", str(self._folder / "bench.json"))
        return command(*words, environment=environment, exit_codes=(0, 1, 2))()

    def _pages(self) -> int:
        lines = self._record(0).read_text(encoding="utf-8").splitlines()
        return sum(json.loads(line)["operation"] == "ListClusterNodes" for line in lines)

    def _record(self, latency_ms: int) -> Path:
        return self._folder / f"status-calls-{latency_ms}.jsonl"

    @functools.cache  # noqa: B019 (one object for a run of the benchmark)
    def _server(self, latency_ms: int) -> Server:
        world = self._folder / f"status-world-{latency_ms}.yaml"
        latency = {"*": latency_ms}
        world.write_text(json.dumps({"extends": "generous", "latency_ms": latency}))
        server = Server(
            *("clusterwright", "localaws", "--port", "0", "--world", str(world)),
            *("--record", str(self._record(latency_ms))),
        )
        atexit.register(server.end)
        spec = self._folder / "bench.json"
        spec.write_text(json.dumps(_SPEC), encoding="utf-8")
        _create(server.url, lifecycle_bucket(load_cluster(spec).cluster))
        return server


def _create(url: str, bucket: str) -> None:
    """Create the cluster, without the stacks around it."""

    def client(service: str) -> Any:
        return boto3.client(
            service,
            _REGION,
            endpoint_url=url,
            aws_access_key_id=_ACCOUNT,
            aws_secret_access_key="local",
        )

    ec2, s3, sagemaker = client("ec2"), client("s3"), client("sagemaker")
    vpc = ec2.create_vpc(CidrBlock="10.0.0.0/16")["Vpc"]["VpcId"]
    subnet = ec2.create_subnet(VpcId=vpc, CidrBlock="10.0.0.0/16", AvailabilityZoneId=_ZONE)[
        "Subnet"
    ]["SubnetId"]
    group = ec2.create_security_group(GroupName="nodes", Description="n", VpcId=vpc)["GroupId"]
    s3.create_bucket(Bucket=bucket)
    s3.put_object(Bucket=bucket, Key="lifecycle/on_create.sh", Body=b"#!/bin/sh\n")
    trust = {
        "Effect": "Allow",
        "Action": "sts:AssumeRole",
        "Principal": {"Service": "sagemaker.amazonaws.com"},
    }
    role = client("iam").create_role(
        RoleName="nodes",
        AssumeRolePolicyDocument=json.dumps({"Version": "2012-10-17", "Statement": [trust]}),
    )["Role"]["Arn"]
    sagemaker.create_cluster(
        ClusterName=_SPEC["environment"],
        VpcConfig={"SecurityGroupIds": [group], "Subnets": [subnet]},
        InstanceGroups=[
            {
                "InstanceGroupName": entry["name"],
                "InstanceType": "ml.m5.4xlarge",
                "InstanceCount": entry["count"],
                "ExecutionRole": role,
                "LifeCycleConfig": {
                    "SourceS3Uri": f"s3://{bucket}/lifecycle",
                    "OnCreate": "on_create.sh",
                },
            }
            for entry in _SPEC["compute"]
        ],
    )
    pages = sagemaker.get_paginator("list_cluster_nodes")
    nodes = [
        node
        for page in pages.paginate(ClusterName=_SPEC["environment"], MaxResults=100)
        for node in page["ClusterNodeSummaries"]
    ]
    if len(nodes) != NODES + 1:
        raise RuntimeError(f"the cluster has {len(nodes)} nodes")
    s3.put_object(Bucket=bucket, Key="state/scheduler.json", Body=json.dumps(_state(nodes)))


def _state(nodes: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """What a controller would publish: every node is idle."""
    return {
        "schema_version": 1,
        "environment": _SPEC["environment"],
        "written_at": dt.datetime.now(dt.UTC).isoformat(),
        "controller": "ip-10-0-0-1",
        "daemons": {"slurmctld": "up", "slurmdbd": "up", "munge": "up"},
        "nodes": [
            {
                "name": node["PrivateDnsHostname"].partition(".")[0],
                "group": node["InstanceGroupName"],
                "instance_id": node["InstanceId"],
                "states": ["IDLE"],
            }
            for node in nodes
            if node["InstanceGroupName"] != "controller"
        ],
        "jobs": {},
        "partitions": [{"name": "dev", "state": "UP", "nodes": []}],
    }


@functools.cache
def _naming() -> tuple[tuple[int, int], ...]:
    """Rounds, and tests of a node, for each node of the cluster as the bad one."""
    return tuple(_named(number) for number in range(SIMULATED_NODES))


def _named(bad_number: int) -> tuple[int, int]:
    """Rounds and tests of a node until the bad node is named; raises if another is."""
    pairs = _program()
    nodes = [f"n{number}" for number in range(SIMULATED_NODES)]
    bad, rounds = nodes[bad_number], 0
    tests: list[Any] = []
    while found := pairs.next_round(nodes, tests):
        rounds += 1
        tests += [
            pairs.Test(first, second, "bad" if bad in (first, second) else "good")
            for first, second in found
        ]
    suspects = [(one.kind, one.names) for one in pairs.conclude(nodes, tests).suspects]
    if suspects != [("node", (bad,))]:
        raise RuntimeError(f"{bad} is bad, and {suspects} are suspects")
    return rounds, 2 * len(tests)


@functools.cache
def _program() -> Any:
    """The planner of pairs, part of the node program."""
    sys.path.insert(0, str(ROOT / "lifecycle_scripts"))
    try:
        return importlib.import_module("clusterwright_acceptance.pairs")
    finally:
        sys.path.pop(0)
