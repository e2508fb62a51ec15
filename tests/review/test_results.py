"""Verdict and exit code of a review, and names of changes."""

from __future__ import annotations

from typing import Any

import pytest

from clusterwright.preflight.results import Unanswered
from clusterwright.review.results import (
    FindingsDelta,
    GateResult,
    GateStatus,
    NodesChange,
    QuotaDelta,
    ResourceChange,
    Review,
    ScriptsChange,
    SpecChange,
    Unknown,
)


def review(**values: Any) -> Review:
    return Review(file="dev.yaml", environment="dev", base="main", **values)


def gate(status: GateStatus) -> GateResult:
    return GateResult(gate="budget", status=status, name="monthly_usd", message="m")


UNANSWERED = Unanswered(rule="CW-Q001", severity="error", path="", message="denied")


@pytest.mark.parametrize(
    ("values", "verdict", "code"),
    [
        ({}, "pass", 0),
        ({"gates": (gate("pass"), gate("allowed"))}, "pass", 0),
        ({"gates": (gate("unknown"),)}, "unknown", 2),
        ({"unknown": (Unknown("the cost", "no price"),)}, "unknown", 2),
        ({"findings": FindingsDelta(unanswered=(UNANSWERED,))}, "unknown", 2),
        ({"gates": (gate("unknown"), gate("fail"))}, "fail", 1),
    ],
)
def test_a_failed_gate_comes_before_the_unknown(
    values: dict[str, Any], verdict: str, code: int
) -> None:
    found = review(**values)
    assert (found.verdict, found.exit_code) == (verdict, code)
    assert found.failed == tuple(g for g in values.get("gates", ()) if g.status == "fail")


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ({}, True),
        ({"changes": (SpecChange("compute[0].count", 1, 2),)}, False),
        ({"scripts": ScriptsChange((), (), (), True, "later")}, False),
        ({"notes": ("a note",)}, True),
    ],
)
def test_a_review_without_changes(values: dict[str, Any], expected: bool) -> None:
    assert review(**values).changes_nothing is expected


def test_names_for_allow_replacement() -> None:
    change = ResourceChange(
        stack="dev-storage", logical_id="Fs", type="t", effect="replace", action="replace"
    )
    assert (change.name, change.ends) == ("dev-storage/Fs", True)
    nodes = NodesChange(
        group="workers", change="removed", before=4, after=0, jobs="die", message="m"
    )
    assert nodes.name == "compute[workers]"


def test_the_difference_of_a_quota() -> None:
    quota = QuotaDelta(service="ec2", code="L-1", label="instances", unit="", before=4, after=1.5)
    assert quota.delta == -2.5
