"""slurmctld with the configuration that the node program generates, beside a minimal one.

Both have one line for each node, as somebody would write them by hand, and nodes in state CLOUD.
Ours as it is generated has one line for a run of addresses; both forms are timed. Needs root and
Linux; elsewhere there is nothing to compare.
"""

from __future__ import annotations

import atexit
import importlib
import os
import sys
import time
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from benchmarks.compare import ROOT, Comparison, Timed
from clusterwright_rehearsal.nodes import images
from clusterwright_rehearsal.runs import DEFAULT_STATE
from tests.support.real_slurm import RealSlurm

SIZES = (512, 2048, 10_000)
LARGEST_RATIO = 1.3

_MINIMAL = f"""ClusterName=minimal
SlurmctldHost={RealSlurm.NAME}({RealSlurm.ADDRESS})
SlurmUser=slurm
AuthType=auth/munge
StateSaveLocation=/var/spool/slurmctld
SlurmctldLogFile=/var/log/slurm/slurmctld.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
GresTypes=gpu
ResumeProgram=/bin/true
SuspendProgram=/bin/true
SuspendTime=6000
"""
# What a machine without cgroups and nodes cannot have.
_SITE = {
    "slurm.conf": {
        "ProctrackType": "proctrack/linuxproc",
        "TaskPlugin": "task/none",
        "JobAcctGatherType": "jobacct_gather/none",
        "PrologFlags": "Alloc",
        "ResumeProgram": "/bin/true",
        "SuspendProgram": "/bin/true",
        "SuspendTime": "6000",
    },
    "cgroup.conf": {"CgroupPlugin": "disabled"},
}
_HARDWARE = "CPUs=192 Sockets=1 CoresPerSocket=96 ThreadsPerCore=2 RealMemory=1992294 Gres=gpu:8"

Files = Mapping[str, str | None]


def slurm_comparisons(folder: Path) -> Iterator[Comparison]:
    """Start and reconfiguration by size and topology; the machine's files are in `folder`."""
    if sys.platform != "linux" or os.geteuid() != 0:
        return

    @cache
    def machine() -> RealSlurm:
        slurm = RealSlurm(images.image(DEFAULT_STATE / "cache").root, folder / "slurm")
        atexit.register(slurm.close)
        return slurm

    for count in SIZES:
        for kind in ("tree", "block"):
            minimal, ours = _minimal(count, kind), _generated(count, kind)
            for what, timed in (("start", _start), ("reconfigure", _reconfigure)):
                yield Comparison(
                    f"slurmctld {what}, {count} nodes, {kind}",
                    timed(machine, ours),
                    timed(machine, minimal),
                    "a minimal slurm.conf, one line for each node",
                    target_ratio=LARGEST_RATIO,
                )
            yield Comparison(
                f"slurmctld start, {count} nodes, {kind}, one line for each node in both",
                _start(machine, _one_line_each(ours)),
                _start(machine, minimal),
                "a minimal slurm.conf",
                target_ratio=LARGEST_RATIO,
            )


def _start(machine: Any, files: Files) -> Timed:
    def once() -> float:
        try:
            slurm: RealSlurm = machine()
            slurm.stop_controller()
            slurm.write(files)
            return slurm.start_controller()
        except AssertionError as error:
            raise RuntimeError(str(error)) from None

    return once


def _reconfigure(machine: Any, files: Files) -> Timed:
    start = _start(machine, files)

    def once() -> float:
        start()
        slurm: RealSlurm = machine()
        began = time.perf_counter()
        if slurm.run("scontrol", "reconfigure").returncode:
            raise RuntimeError("scontrol reconfigure failed")
        # Answered is not done: the process that took over reads everything first.
        while slurm.run("sinfo").returncode:
            time.sleep(0.01)
        return time.perf_counter() - began

    return once


def _nodes(count: int) -> list[tuple[str, str]]:
    addresses = [f"10.{20 + i // 62_500}.{i // 250 % 250}.{i % 250 + 1}" for i in range(count)]
    return [("ip-" + address.replace(".", "-"), address) for address in addresses]


def _minimal(count: int, kind: str) -> Files:
    nodes = _nodes(count)
    lines = [f"NodeName={n} NodeAddr={a} {_HARDWARE} State=CLOUD\n" for n, a in nodes]
    names = [name for name, _ in nodes]
    size = {"tree": 16, "block": 18}[kind]
    groups = [names[start : start + size] for start in range(0, count, size)]
    if kind == "tree":
        topology = "".join(
            f"SwitchName=l{i} Nodes={','.join(group)}\n" for i, group in enumerate(groups)
        )
        topology += f"SwitchName=core Switches=l[0-{len(groups) - 1}]\n"
    else:
        # A short block is fatal: what is left over stays outside.
        whole = [group for group in groups if len(group) == size]
        topology = "".join(
            f"BlockName=b{i} Nodes={','.join(group)}\n" for i, group in enumerate(whole)
        )
        topology += f"BlockSizes={size}\n"
    return {
        "slurm.conf": f"{_MINIMAL}TopologyPlugin=topology/{kind}\n{''.join(lines)}"
        "PartitionName=train Nodes=ALL Default=YES State=UP\n",
        "gres.conf": "AutoDetect=off\nName=gpu File=/dev/nvidia[0-7]\n",
        "cgroup.conf": "CgroupPlugin=disabled\n",
        "topology.conf": topology,
        "topology.yaml": None,
    }


def _generated(count: int, kind: str) -> Files:
    """The files that the node program generates for `count` p5.48xlarge nodes."""
    sys.path.insert(0, str(ROOT / "lifecycle_scripts"))
    try:
        generate = importlib.import_module("clusterwright_node.slurm_generate")
        topology = importlib.import_module("clusterwright_node.slurm_topology")
        contract = importlib.import_module("clusterwright_node.contract")
    finally:
        sys.path.pop(0)
    group = contract.Group(
        name="workers",
        role="compute",
        instance_type="p5.48xlarge",
        accelerator="nvidia",
        accelerator_count=8,
        partition="train",
        spare_count=0,
        scratch=None,
        efa=True,
        cores=96,
        threads_per_core=2,
        memory_mib=2_097_152,
        software=(),
        spot=False,
    )
    partition = contract.Partition(
        name="train", default=True, max_time_minutes=None, priority_tier=1
    )
    cluster = contract.ClusterFile(
        schema_version=contract.SCHEMA_VERSION,
        cluster="bench",
        region="us-east-1",
        platform="hyperpod-slurm",
        configuration="scripted",
        groups=(group,),
        lustre=(),
        home=None,
        user_groups=(),
        users=(),
        slurm=contract.Slurm(
            partitions=(partition,),
            accounting="none",
            topology="automatic",
            priority_weights=contract.DEFAULT_WEIGHTS,
            timeouts=contract.DEFAULT_TIMEOUTS,
            preemption="off",
            qos=(),
            accounts=(),
            restrict_ssh_to_jobs=False,
            metadata_service_users=(),
        ),
        containers=contract.Containers(pyxis=False, install="image"),
        artefacts=None,
        metrics=None,
        mountpoints=(),
        directory_buckets=(),
        checkpoint_path=None,
        node_steps={},
        job_role_arn=None,
        acceptance=contract.DEFAULT_ACCEPTANCE,
        state_bucket=None,
    )
    nodes = [generate.SlurmNode(name, address, "workers") for name, address in _nodes(count)]
    places = {
        node.name: topology.Place(
            (f"nn-{index // 4096:017x}", f"nn-1{index // 256:016x}", f"nn-2{index // 16:016x}"),
            f"us-{index // 18}" if kind == "block" else None,
        )
        for index, node in enumerate(nodes)
    }
    around = generate.Surroundings(RealSlurm.NAME, RealSlurm.ADDRESS, site=_SITE)
    files: dict[str, str | None] = generate.files(
        cluster, nodes, around, topology.topology("automatic", places)
    )
    conf = files["slurm.conf"] or ""
    return {**files, "slurm.conf": conf.replace("State=UNKNOWN", "State=CLOUD")}


def _one_line_each(files: Files) -> Files:
    """The files with a separate line for each node."""
    conf = files["slurm.conf"] or ""
    lines = conf.splitlines()
    at = next(i for i, line in enumerate(lines) if line.startswith("NodeName="))
    runs = [line for line in lines if line.startswith("NodeName=") and "NodeAddr" in line]
    rest = runs[0].split(" ", 2)[2]
    count = sum(_length(line.split(" ", 1)[0]) for line in runs)
    single = [f"NodeName={name} NodeAddr={address} {rest}" for name, address in _nodes(count)]
    others = [line for line in lines if line not in runs]
    return {**files, "slurm.conf": "\n".join([*others[:at], *single, *others[at:]]) + "\n"}


def _length(host_list: str) -> int:
    inside = host_list.partition("[")[2].rstrip("]")
    if not inside:
        return 1
    ranges = [part.partition("-") for part in inside.split(",")]
    return sum(int(high or low) - int(low) + 1 for low, _, high in ranges)
