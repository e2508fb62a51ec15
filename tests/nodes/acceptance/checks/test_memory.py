"""Memory."""

from __future__ import annotations

import pytest
from clusterwright_acceptance import running

from tests.nodes.acceptance.fake_node import Node


def test_the_types_memory_passes(node: Node) -> None:
    found = node.look("memory")
    assert (found.verdict, found.value, found.unit) == ("pass", 2014.0, "GiB")
    assert found.facts == {"hugepages": 5128, "numa_nodes": 2}


@pytest.mark.parametrize(("gib", "action"), [(1900, "replace"), (2100, "report")])
def test_less_and_more_fail(node: Node, gib: float, action: str) -> None:
    node.memory(gib)
    found = node.look("memory")
    assert (found.verdict, found.action) == ("fail", action)


def test_memory_of_accelerators_is_no_fault_on_grace(node: Node) -> None:
    node.expect(instance_type="p6e-gb200.36xlarge")
    node.memory(1700)
    assert node.look("memory").verdict == "pass"


def test_strange_output_and_unknown_type_are_no_pass(node: Node) -> None:
    node.expect(instance_type="p99.48xlarge")
    assert node.look("memory").verdict == "unknown"
    node.prints("free", "nothing")
    with pytest.raises(running.Unreadable):
        node.look("memory")
