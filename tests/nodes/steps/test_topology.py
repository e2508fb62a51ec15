"""The instance topology in Slurm on ParallelCluster."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from clusterwright_node import slurm_conf
from clusterwright_node.steps import topology

from tests.nodes.interruptions import copied, worth_a_kill
from tests.nodes.world import RESOURCES, World

WORKERS = RESOURCES["InstanceGroups"][2]["Instances"]


@pytest.fixture
def head(world: Callable[..., World]) -> World:
    node = world("controller-1", "parallelcluster")
    node.edit("cluster.json", lambda c: c["slurm"].update(topology="tree"))
    return node


def read(node: World, path: str) -> str:
    return (node.root / path.lstrip("/")).read_text()


def test_nodes_are_below_their_network_nodes(head: World) -> None:
    ran = head.run()
    assert ran.code == 0, ran.text
    assert ran.statuses()["topology"] == "applied"
    lines = read(head, topology.TOPOLOGY).splitlines()
    # In EC2's answer of the tests every second node is on another switch.
    assert "SwitchName=nn-c0 Nodes=train-st-workers-[1,3]" in lines or (
        "SwitchName=nn-c0 Nodes=train-st-workers-1" in lines
    )
    assert "SwitchName=cw-unplaced Nodes=train-dy-workers-1" in lines
    assert read(head, topology.PLUGIN).splitlines()[-1] == "TopologyPlugin=topology/tree"
    assert read(head, slurm_conf.SLURM_CONF).splitlines()[-1] == topology.INCLUDE
    assert head.state["slurm_topology"] == read(head, topology.TOPOLOGY)
    second = head.run()
    assert second.statuses()["topology"] == "unchanged"
    assert second.machine.points == []


def test_removed_file_is_restored_before_slurmctld_starts(head: World) -> None:
    """ParallelCluster's update of queues deletes topology.conf and restarts slurmctld."""
    head.run()
    assert read(head, topology.COPY) == read(head, topology.TOPOLOGY)
    drop_in = read(head, topology.DROP_IN)
    assert f"test -e {topology.TOPOLOGY} || cp {topology.COPY} {topology.TOPOLOGY}" in drop_in
    (head.root / topology.TOPOLOGY.lstrip("/")).unlink()
    assert head.run().statuses()["topology"] == "applied"
    assert head.state["slurm_topology"] == read(head, topology.TOPOLOGY)


def test_replaced_node_has_a_new_position(head: World) -> None:
    head.run()
    before = read(head, topology.TOPOLOGY)

    def replaced(state: dict[str, Any]) -> None:
        state["slurm_nodes"]["train-st-workers-1"] = "10.1.0.77"
        state["instances"]["10.1.0.77"] = "i-0aaaaaaaaaaaaaaa1"
        state["topology"]["i-0aaaaaaaaaaaaaaa1"] = {"NetworkNodes": ["nn-a", "nn-b", "nn-new"]}

    state = head.state
    replaced(state)
    head.change(**{k: state[k] for k in ("slurm_nodes", "instances", "topology")})
    assert head.run().statuses()["topology"] == "applied"
    assert "SwitchName=nn-new Nodes=train-st-workers-1" in read(head, topology.TOPOLOGY)
    assert read(head, topology.TOPOLOGY) != before
    assert "train-st-workers-1 10.1.0.77\n" in read(head, topology.SEEN)


def test_instance_missing_in_ec2_is_logged_and_requested_again(head: World) -> None:
    address = WORKERS[0]["CustomerIpAddress"]
    known = {k: v for k, v in head.state["instances"].items() if k != address}
    head.change(instances=known)
    ran = head.run()
    assert ran.code == 0, ran.text
    assert "EC2 does not return the instances of train-st-workers-1" in ran.text
    unplaced = next(x for x in read(head, topology.TOPOLOGY).splitlines() if "unplaced" in x)
    assert "train-st-workers-1" in unplaced
    # The timer's program detects the difference.
    assert "train-st-workers-1 " not in read(head, topology.SEEN)


def test_types_without_a_topology_are_on_one_switch(head: World) -> None:
    head.change(topology={})
    ran = head.run()
    assert ran.code == 0, ran.text
    assert "EC2 returns no topology of the" in ran.text
    assert [line for line in read(head, topology.TOPOLOGY).splitlines() if "Switch" in line] == [
        f"SwitchName=cw-unplaced Nodes=train-dy-workers-1,train-st-workers-[1-{len(WORKERS)}]"
    ]


def test_denied_ec2_call_is_reported(head: World) -> None:
    head.change(aws_error="An error occurred (UnauthorizedOperation)")
    end = head.run().end_of("topology")
    assert "`aws ec2 describe-instances` failed" in end["error"]
    assert "ec2:DescribeInstanceTopology" in end["hint"]


def test_slurm_is_restored_when_the_topology_is_no_longer_used(head: World) -> None:
    before = read(head, slurm_conf.SLURM_CONF)
    head.run()
    head.edit("cluster.json", lambda c: c["slurm"].update(topology="automatic"))
    assert head.run().statuses()["topology"] == "applied"
    assert read(head, slurm_conf.SLURM_CONF) == before
    assert head.state["slurm_topology"] == ""
    for path in (topology.TOPOLOGY, topology.PLUGIN, topology.COPY, topology.DROP_IN):
        assert not (head.root / path.lstrip("/")).exists()
    assert head.run().statuses()["topology"] == "skipped"


def test_other_nodes_skip_the_step(world: Callable[..., World]) -> None:
    for name, configuration in (
        ("controller-1", "managed"),
        ("controller-1", "scripted"),
        ("controller-1", "parallelcluster"),
        ("workers-1", "parallelcluster"),
    ):
        node = world(name, configuration)
        if name == "workers-1":
            node.edit("cluster.json", lambda c: c["slurm"].update(topology="tree"))
        assert node.run().statuses()["topology"] == "skipped"


@pytest.mark.parametrize("made_before", [False, True])
def test_interrupted_step_converges(memory_path: Path, head: World, made_before: bool) -> None:
    """Between two changes of the step, in both directions."""
    if made_before:
        assert head.run().code == 0
        head.edit("cluster.json", lambda c: c["slurm"].update(topology="automatic"))
    else:
        head.edit("cluster.json", lambda c: c["slurm"].update(topology="automatic"))
        assert head.run().code == 0
        head.edit("cluster.json", lambda c: c["slurm"].update(topology="tree"))
    reference = copied(head, f"reference-{made_before}")
    first = reference.run()
    assert first.code == 0, first.text
    goal, points = reference.picture(), first.machine.points
    ours = [
        point
        for point in worth_a_kill(points, set())
        if re.search(r"before.*(topology|slurm\.conf|scontrol)", points[point])
    ]
    assert len(ours) > 8
    for point in ours:
        victim = copied(head, f"victim-{made_before}-{point}")
        assert victim.run_and_be_killed(point), points[point]
        again = victim.run()
        assert again.code == 0, f"{points[point]}\n{again.text}"
        assert victim.picture() == goal, points[point]
        assert victim.state["slurm_topology"] == reference.state["slurm_topology"]


def test_answer_is_saved(head: World) -> None:
    head.run()
    known = json.loads(read(head, topology.KNOWN))
    assert sorted(known["addresses"]) == sorted(
        f"train-st-workers-{n}" for n in range(1, len(WORKERS) + 1)
    )
    # No calls are made while Slurm's nodes have the same addresses.
    head.change(aws_error="An error occurred (UnauthorizedOperation)")
    assert head.run().statuses()["topology"] == "unchanged"
