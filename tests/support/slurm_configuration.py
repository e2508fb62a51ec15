"""A configuration of real Slurm with the groups and partitions of a spec."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

from clusterwright_node import inputs as inputs_module
from clusterwright_node import slurm_generate, slurm_topology
from clusterwright_node.catalogue import step_names
from clusterwright_node.contract import ClusterFile
from clusterwright_node.slurm_generate import SlurmNode, Surroundings
from clusterwright_node.slurm_topology import Place

from tests.support.real_slurm import RealSlurm

# Settings that a machine without cgroups, devices and nodes cannot have.
SITE = {
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


def parse(value: Any) -> ClusterFile:
    problems: list[str] = []
    parsed = inputs_module.parse_cluster(json.loads(json.dumps(value)), problems, step_names())
    assert problems == []
    return parsed


def without_accounting(parsed: ClusterFile, **changes: Any) -> ClusterFile:
    return dataclasses.replace(
        parsed,
        groups=tuple(dataclasses.replace(group, spare_count=0) for group in parsed.groups),
        slurm=dataclasses.replace(
            parsed.slurm, accounting="none", qos=(), accounts=(), preemption="off", **changes
        ),
    )


def nodes_of(groups: dict[str, int]) -> list[SlurmNode]:
    """The given number of nodes of each group, with addresses as in subnets of a /8."""
    found: list[SlurmNode] = []
    for group, count in groups.items():
        for _ in range(count):
            index = len(found)
            address = f"10.{20 + index // 62_500}.{index // 250 % 250}.{index % 250 + 1}"
            found.append(SlurmNode("ip-" + address.replace(".", "-"), address, group))
    return found


def generated(
    parsed: ClusterFile,
    nodes: list[SlurmNode],
    found: dict[str, Place] | None,
    kind: str = "automatic",
    *,
    has_openmetrics: bool = False,
) -> dict[str, str | None]:
    topology = slurm_topology.topology(kind, found) if found else None
    surroundings = Surroundings(
        RealSlurm.NAME, RealSlurm.ADDRESS, site=SITE, has_openmetrics=has_openmetrics
    )
    files = slurm_generate.files(parsed, nodes, surroundings, topology)
    conf = files["slurm.conf"]
    assert conf is not None
    files["slurm.conf"] = conf.replace("State=UNKNOWN", "State=CLOUD")
    return files
