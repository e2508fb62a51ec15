"""HyperPod's own results in the report of an acceptance run."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest

from clusterwright.cluster_state.acceptance import RunCheck, RunNode
from clusterwright.cluster_state.deep_health import DeepHealthResult
from clusterwright.operate.deep_health import CHECK, with_deep_health

AT = dt.datetime(2026, 11, 23, 8, 0, tzinfo=dt.UTC)
FAULTY = DeepHealthResult("i-1", AT, False, "reboot", "DCGM failed")


def node(own: Any = "skipped", verdict: Any = "accepted") -> RunNode:
    checks = (RunCheck(id="cpus", verdict="pass"), RunCheck(id=CHECK, verdict=own))
    return RunNode(name="n1", instance_id="i-1", verdict=verdict, checks=checks)


@pytest.mark.parametrize("own", ["skipped", "pass", "unknown"])
def test_a_failure_in_the_log_group_rejects_the_node(own: str) -> None:
    (found,) = with_deep_health([node(own)], {"i-1": FAULTY})
    reason = "HyperPod, 2026-11-23T08:00:00Z: DCGM failed"
    assert (found.verdict, found.reason, found.action) == (
        *("rejected", f"{CHECK}: {reason}", "reboot"),
    )
    assert [(check.id, check.verdict) for check in found.checks] == [
        ("cpus", "pass"),
        (CHECK, "fail"),
    ]


def test_a_rejected_node_keeps_its_reason() -> None:
    rejected = node(verdict="rejected").model_copy(update={"reason": "cpus: 1 offline"})
    (found,) = with_deep_health([rejected], {"i-1": FAULTY})
    assert found.reason == "cpus: 1 offline"
    assert found.checks[-1].verdict == "fail"


@pytest.mark.parametrize(
    ("given", "results"),
    [
        (node("waived"), {"i-1": FAULTY}),
        (node("fail", "rejected"), {"i-1": FAULTY}),
        (node(), {"i-2": FAULTY}),
        (node(), {"i-1": DeepHealthResult("i-1", AT, True)}),
        (RunNode(name="n1", instance_id="i-1", verdict="unknown"), {"i-1": FAULTY}),
    ],
    ids=["waived", "own-failure", "another-instance", "passed", "not-tested"],
)
def test_other_nodes_are_unchanged(given: RunNode, results: Any) -> None:
    assert with_deep_health([given], results) == (given,)
