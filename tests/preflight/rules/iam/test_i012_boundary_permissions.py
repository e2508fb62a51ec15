"""Tests of CW-I012."""

from __future__ import annotations

from tests.preflight.harness import Harness
from tests.preflight.rules.support.access import BOUNDED, FILES, refused, rights


def test_too_narrow_boundary_is_reported(rule: Harness) -> None:
    path = "identity.permissions_boundary_arn"
    changes = {**BOUNDED, **FILES}
    denied = rights(
        rule, "CW-I012", changes, refused("fsx:DescribeFileSystems", by_boundary=False)
    )
    rule.fails(
        "CW-I012",
        changes,
        denied,
        path=path,
        message="a node is not allowed fsx:DescribeFileSystems: the permissions boundary does "
        "not allow it",
    )
    rule.passes("CW-I012", changes, rights(rule, "CW-I012", changes))
    rule.passes("CW-I012", changes, rights(rule, "CW-I012", changes, exists=False))
    rule.passes("CW-I012", FILES, tested=False)
