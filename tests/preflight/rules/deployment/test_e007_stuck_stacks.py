"""Tests of CW-E007."""

from __future__ import annotations

import pytest

from clusterwright.aws.cloudformation.stacks import Stack
from clusterwright.preflight.facts.deployment import (
    OwnStacks,
    Stacks,
)
from tests.preflight.harness import Harness
from tests.preflight.rules.support.names import HERE


@pytest.mark.parametrize(
    ("status", "protected", "severity"),
    [
        ("UPDATE_ROLLBACK_FAILED", False, "error"),
        ("DELETE_FAILED", False, "error"),
        ("ROLLBACK_COMPLETE", True, "error"),
        ("UPDATE_IN_PROGRESS", False, "warning"),
        ("CREATE_COMPLETE", True, None),
        ("UPDATE_ROLLBACK_COMPLETE", True, None),
        ("ROLLBACK_COMPLETE", False, None),
        ("REVIEW_IN_PROGRESS", False, None),
    ],
)
def test_stuck_stacks_are_reported(
    rule: Harness, status: str, protected: bool, severity: str | None
) -> None:
    facts = {Stacks("test"): OwnStacks((Stack("test-storage", status, "why", protected),), ())}
    if severity is None:
        rule.passes("CW-E007", {}, facts)
    else:
        rule.fails("CW-E007", {}, facts, path=HERE, message=status, severity=severity)
