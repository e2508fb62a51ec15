"""Tests of CW-B003."""

from __future__ import annotations

import pytest

from tests.preflight.harness import Harness
from tests.support import specs


def test_stale_prices_are_reported(rule: Harness) -> None:
    rule.fails(
        "CW-B003",
        {"budget.monthly_usd": 1000, "storage.lustre": [specs.LUSTRE]},
        path="budget",
        message="prices are older than 90 days or have no date (lustre, objects, network)",
        severity="info",
    )
    rule.passes("CW-B003", tested=False)


def test_recent_prices_pass(rule: Harness, monkeypatch: pytest.MonkeyPatch) -> None:
    from clusterwright.cost import estimate
    from clusterwright.cost.components import compute

    monkeypatch.setattr(estimate, "COMPONENTS", (compute.lines,))
    rule.passes("CW-B003", {"budget.monthly_usd": 1000})
