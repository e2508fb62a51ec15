"""The step that identifies this node."""

from __future__ import annotations

import json
from collections.abc import Callable

from tests.nodes.world import RESOURCES, World


def resources(node: World, edit: Callable[[dict], object]) -> None:
    value = json.loads(json.dumps(RESOURCES))
    edit(value)
    (node.root / "opt/ml/config/resource_config.json").write_text(json.dumps(value))


def test_node_is_identified_by_its_address(world: Callable[..., World]) -> None:
    node = world("workers-2")
    run = node.run()
    identity = json.loads((node.root / "var/lib/clusterwright/identity.json").read_text())
    assert identity["node"] == "workers-2"
    assert identity["instance_id"] == "i-0b000000000000002"
    assert (identity["group"], identity["role"]) == ("workers", "compute")
    assert run.statuses()["identify"] == "applied"
    ended = run.end_of("clock")
    assert (ended["node"], ended["group"]) == ("workers-2", "workers")


def test_no_match_fails_with_the_candidates(
    world: Callable[..., World],
) -> None:
    node = world("workers-1", address="10.9.9.9")
    run = node.run()
    assert run.code == 1
    assert "none of this machine's addresses (10.9.9.9) is in resource_config.json" in run.last
    assert "controller-1 10.1.0.10" in run.last
    assert "workers-3 10.1.0.33" in run.last
    assert run.statuses() == {"identify": "failed"}
    assert run.machine.points == []


def test_loopback_address_matches_no_machine(world: Callable[..., World]) -> None:
    node = world("workers-1", address="10.9.9.9")

    def loop(value: dict) -> None:
        value["InstanceGroups"][2]["Instances"][0]["CustomerIpAddress"] = "127.0.0.1"

    resources(node, loop)
    assert node.run().code == 1


def test_ambiguous_address_is_refused(world: Callable[..., World]) -> None:
    node = world("workers-1")

    def double(value: dict) -> None:
        value["InstanceGroups"][2]["Instances"][1]["CustomerIpAddress"] = "10.1.0.31"

    resources(node, double)
    run = node.run()
    assert run.code == 1
    assert "are those of several nodes: workers-1 10.1.0.31, workers-2 10.1.0.31" in run.last


def test_many_candidates_are_counted_not_listed(world: Callable[..., World]) -> None:
    node = world("workers-1", address="10.9.9.9")

    def many(value: dict) -> None:
        one = value["InstanceGroups"][2]["Instances"][0]
        value["InstanceGroups"][2]["Instances"] = [
            dict(one, CustomerIpAddress=f"10.2.{n // 256}.{n % 256}") for n in range(1000)
        ]

    resources(node, many)
    run = node.run()
    assert "and 982 more" in run.last
    assert len(run.last) < 1500


def test_copied_disk_of_another_instance_is_reinitialised(world: Callable[..., World]) -> None:
    node = world("workers-1")
    assert node.run_and_be_killed(30)
    node.change(address="10.1.0.32")
    run = node.run()
    assert run.code == 0, run.text
    assert node.journal()["instance_id"] == "i-0b000000000000002"
    identity = json.loads((node.root / "var/lib/clusterwright/identity.json").read_text())
    assert identity["node"] == "workers-2"
