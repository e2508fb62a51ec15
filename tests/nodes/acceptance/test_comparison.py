"""Facts that are equal on all nodes."""

from __future__ import annotations

from clusterwright_acceptance.comparison import compare


def verdicts(**drivers: str) -> dict[str, tuple[str, str]]:
    found = compare({node: {"versions.driver": driver} for node, driver in drivers.items()})
    return {node: (one.verdict, one.reason) for node, one in found.items()}


def test_equal_nodes_pass() -> None:
    assert verdicts(a="570", b="570") == {"a": ("pass", ""), "b": ("pass", "")}
    assert compare({}) == {}


def test_the_minority_fails() -> None:
    found = verdicts(a="570", b="570", c="580")
    assert found["c"] == ("fail", "versions.driver is 580, on 2 of 3 nodes it is 570")
    assert found["a"] == ("pass", "")


def test_without_a_majority_all_are_unknown() -> None:
    reason = "versions.driver differs between nodes, without a majority"
    assert verdicts(a="570", b="580") == {"a": ("unknown", reason), "b": ("unknown", reason)}


def test_fact_that_a_node_lacks_is_not_compared() -> None:
    found = compare({"a": {"x": 1, "y": 2}, "b": {"x": 1}})
    assert {one.verdict for one in found.values()} == {"pass"}
