"""What the report of a run means for the exit code and the cost."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from clusterwright.cluster_state.acceptance import RunClusterCheck, RunNode, RunSuspect
from clusterwright.operate.acceptance_results import AcceptReport, GroupPlan
from clusterwright.operate.results import UnknownPart
from tests.support.acceptance_exit_codes import RESULTS

GOOD = RunNode(name="n1", verdict="accepted")
UNREAD = (UnknownPart("the run", "denied"),)


def report(**changes: Any) -> AcceptReport:
    words = {"file": "f", "environment": "e", "account": "a", "region": "r", "level": "quick"}
    words |= {"status": "ended", "run": "run-0001", "plan": (), **changes}
    return AcceptReport(**words)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"nodes": (GOOD,), "status": "running"}, 2),
        ({"nodes": (GOOD,), "status": "failed"}, 2),
        ({"nodes": (GOOD,), "unknown": UNREAD}, 2),
        ({"status": "planned"}, 0),
        ({"status": "refused", "unknown": UNREAD}, 2),
    ],
)
def test_the_exit_code_of_a_run_without_all_results(changes: dict[str, Any], code: int) -> None:
    assert report(**changes).exit_code == code


@pytest.mark.parametrize(("nodes", "checks", "suspects", "code"), RESULTS)
def test_the_exit_code_of_results(
    nodes: list[Any], checks: list[Any], suspects: list[Any], code: int
) -> None:
    found = report(
        nodes=tuple(RunNode(**row) for row in nodes),
        cluster_checks=tuple(RunClusterCheck(**row) for row in checks),
        suspects=tuple(RunSuspect(**row) for row in suspects),
    )
    assert found.exit_code == code


def test_the_cost_is_unknown_with_one_unknown_price() -> None:
    known = GroupPlan("a", "p5.48xlarge", 4, 60, Decimal("2.50"))
    other = GroupPlan("b", "p5.48xlarge", 4, 60, None, "no source")
    assert report(plan=(known, known)).cost_usd == Decimal("5.00")
    assert report(plan=(known, other)).cost_usd is None
    assert report().cost_usd is None
