"""Tests of CW-I013."""

from __future__ import annotations

from typing import Any

import pytest

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


@pytest.mark.parametrize(
    "changes",
    [
        {"platform": "parallelcluster", "compute.1.capacity": {"kind": "spot"}},
        {
            "platform": "eks",
            "kubernetes": {"autoscaling": "karpenter"},
            "compute": [
                {"name": "system", "role": "system", "instance_type": "m5.4xlarge", "count": 2},
                {
                    "name": "workers",
                    "role": "compute",
                    "instance_type": "p5.48xlarge",
                    "count": 0,
                    "max_count": 4,
                    "capacity": {"kind": "spot"},
                },
            ],
        },
    ],
)
def test_spot_role_is_created_by_nothing_that_launches_later(
    rule: Harness, changes: dict[str, Any]
) -> None:
    spot = "AWSServiceRoleForEC2Spot"
    asked = rights(rule, "CW-I013", changes)
    everything_else = {
        fact: fact.name != spot if isinstance(fact, Role) else value
        for fact, value in asked.items()
    }
    finding = rule.fails(
        "CW-I013",
        changes,
        everything_else,
        path="account",
        message=f"{spot}, for spot instances, does not exist, and what launches the instances is "
        "not allowed to create it",
    )
    assert (
        finding.hint
        == "`aws iam create-service-linked-role --aws-service-name spot.amazonaws.com`"
    )
    there = {fact: True if isinstance(fact, Role) else v for fact, v in asked.items()}
    rule.passes("CW-I013", changes, there)
    hyperpod = {"compute.1.capacity": {"kind": "spot"}}
    rule.passes("CW-I013", hyperpod, tested=False)
