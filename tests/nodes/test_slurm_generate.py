"""Slurm's configuration files."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from clusterwright_node import slurm_generate
from clusterwright_node.catalogue import step_names
from clusterwright_node.contract import ClusterFile
from clusterwright_node.inputs import parse_cluster
from clusterwright_node.slurm_generate import (
    GenerateError,
    SlurmNode,
    Surroundings,
    files,
    gres_conf,
    needs_restart,
    settings_of,
    slurm_conf,
    working_nodes,
)
from clusterwright_node.slurm_topology import Topology

from tests.nodes.world import input_files

HERE = Surroundings("ip-10-1-0-10", "10.1.0.10")
NODES = [
    SlurmNode("ip-10-1-0-31", "10.1.0.31", "workers"),
    SlurmNode("ip-10-1-0-32", "10.1.0.32", "workers"),
]


def cluster(**changes: Any) -> ClusterFile:
    """The cluster file of the tests; `changes` are those of the group `workers`."""
    value = copy.deepcopy(input_files("scripted")["cluster.json"])
    for group in value["groups"]:
        if group["name"] == "workers":
            group.update(changes)
    problems: list[str] = []
    found = parse_cluster(value, problems, step_names())
    assert found is not None, problems
    return found


def test_the_controller_and_the_nodes() -> None:
    text = slurm_conf(cluster(), NODES, HERE, None)
    settings = settings_of(text)
    assert settings["slurmctldhost"] == "ip-10-1-0-10(10.1.0.10)"
    assert settings["slurmctldparameters"] == "enable_configless"
    assert settings["jobrequeue"] == "1"
    assert "NodeName=ip-10-1-0-[31-32] NodeAddr=10.1.0.[31-32] CPUs=" in text
    assert "topologyplugin" not in settings
    assert int(settings["unkillablesteptimeout"]) == 5 * int(settings["messagetimeout"])


def test_settings_of_the_site_come_last() -> None:
    around = Surroundings(
        "a", "10.1.0.10", {"MpiDefault": "pmix"}, {"slurm.conf": {"JobRequeue": "0"}}
    )
    settings = settings_of(slurm_conf(cluster(), NODES, around, None))
    assert settings["mpidefault"] == "pmix"
    assert settings["jobrequeue"] == "0"


def test_settings_of_the_agent_that_are_never_used() -> None:
    around = Surroundings("a", "10.1.0.10", {"PriorityType": "priority/basic", "Prolog": "/x"})
    settings = settings_of(slurm_conf(cluster(), NODES, around, None))
    assert settings["prioritytype"] == "priority/multifactor"
    assert "prolog" not in settings


def test_a_topology_and_its_absent_nodes() -> None:
    topology = Topology("block", "BlockSizes=2\n", ("cw-absent-1", "cw-absent-2"))
    found = files(cluster(), NODES, HERE, topology)
    assert "NodeName=cw-absent-[1-2] State=FUTURE\n" in str(found["slurm.conf"])
    assert str(found["topology.conf"]).endswith("\nBlockSizes=2\n")
    assert found["topology.yaml"] is None
    assert files(cluster(), NODES, HERE, None)["topology.conf"] is None


def test_devices_are_named_by_their_files() -> None:
    text = gres_conf(cluster(accelerator_count=8), NODES)
    assert "AutoDetect=off\n" in text
    assert "NodeName=ip-10-1-0-[31-32] Name=gpu File=/dev/nvidia[0-7]\n" in text
    one = gres_conf(cluster(accelerator_count=1), NODES)
    assert "File=/dev/nvidia0\n" in one
    assert "File=" not in gres_conf(cluster(), [])


def test_unknown_hardware_is_an_error() -> None:
    with pytest.raises(
        GenerateError, match=r"does not have the cores and memory of .* \(group workers\)"
    ):
        slurm_conf(cluster(cores=None), NODES, HERE, None)


def test_spares_are_kept_out_of_jobs() -> None:
    found = cluster(spare_count=1)
    partition = next(g.partition for g in found.groups if g.name == "workers")
    assert working_nodes(found, NODES) == {partition: 1}
    assert working_nodes(found, NODES[:1]) == {partition: 1}
    assert working_nodes(cluster(spare_count=0), NODES) == {}


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (None, "ClusterName=a", False),
        ("ClusterName=a", "clustername=a # x", False),
        ("SlurmdTimeout=60", "SlurmdTimeout=90", False),
        ("TopologyPlugin=topology/tree", "TopologyPlugin=topology/block", True),
        ("TopologyPlugin=topology/tree", "", True),
        ("NodeName=a AuthType=x", "NodeName=a AuthType=y", False),
    ],
)
def test_only_some_changes_need_a_restart(before: str | None, after: str, expected: bool) -> None:
    assert needs_restart(before, after) is expected


def test_names_of_partition_qos() -> None:
    assert slurm_generate.partition_qos("Training") == "cw-partition-training"
