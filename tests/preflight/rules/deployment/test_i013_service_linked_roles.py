"""Tests of CW-I013."""

from __future__ import annotations

from clusterwright.preflight.facts.deployment import (
    Role,
)
from tests.preflight.harness import Harness
from tests.preflight.rules.support.access import FILES, refused, rights


def test_missing_service_linked_roles_are_reported(rule: Harness) -> None:
    action = "iam:CreateServiceLinkedRole"
    denied = rights(rule, "CW-I013", FILES, refused(action))
    rule.fails(
        "CW-I013",
        FILES,
        denied,
        path="account",
        message="AWSServiceRoleForAmazonFSx, for file systems, does not exist, and "
        "CloudFormation's role is not allowed iam:CreateServiceLinkedRole: no",
    )
    there = {fact: True if isinstance(fact, Role) else value for fact, value in denied.items()}
    rule.passes("CW-I013", FILES, there)
    rule.passes("CW-I013", FILES, rights(rule, "CW-I013", FILES))
    rule.passes("CW-I013", {}, tested=False)
