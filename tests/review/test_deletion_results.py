"""Totals and the exit code of a deletion plan."""

from __future__ import annotations

from decimal import Decimal

from clusterwright.review.deletion_results import DeletionBlocker, DeletionPlan, Remaining
from clusterwright.review.results import Unknown

EMPTY = {"file": "f", "environment": "e", "platform": "eks", "protection": "retain"}
BLOCKER = DeletionBlocker(where="s", message="m", hint="h")
UNKNOWN = Unknown("what", "why", None)


def entry(*, free: bool = False, monthly_usd: Decimal | None = None) -> Remaining:
    return Remaining(
        kind="retained", what="w", name="n", why="y", free=free, monthly_usd=monthly_usd
    )


def test_blockers_outrank_unknown() -> None:
    assert DeletionPlan(**EMPTY).exit_code == 0
    assert DeletionPlan(**EMPTY, unknown=(UNKNOWN,)).exit_code == 2
    assert DeletionPlan(**EMPTY, unknown=(UNKNOWN,), blockers=(BLOCKER,)).exit_code == 1


def test_known_costs_are_added_and_unknown_ones_counted() -> None:
    remaining = (entry(monthly_usd=Decimal("2.5")), entry(), entry(free=True))
    plan = DeletionPlan(**EMPTY, remaining=remaining)
    assert (plan.monthly_usd, plan.unknown_costs) == (Decimal("2.5"), 1)
