"""Tests of CW-E013."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from clusterwright.aws.budgets import BudgetAction
from clusterwright.preflight.facts.deployment import BudgetActions
from tests.preflight.harness import Harness
from tests.support import specs

POLICY = f"arn:aws:iam::{specs.ACCOUNT}:policy/stop"
DEPLOYER = f"cdk-hnb659fds-cfn-exec-role-{specs.ACCOUNT}-us-east-1"
ROLES = BudgetAction("team", "APPLY_IAM_POLICY", True, "90 %", POLICY, roles=(DEPLOYER,))
ACCOUNTS = BudgetAction(
    "team", "APPLY_SCP_POLICY", True, "5,000 USD", "p-1", targets=(specs.ACCOUNT,)
)


def facts(action: BudgetAction, **changes: Any) -> dict[Any, Any]:
    return {BudgetActions(specs.ACCOUNT): (dataclasses.replace(action, **changes),)}


@pytest.mark.parametrize(
    ("found", "message"),
    [
        (
            facts(ROLES),
            f"at 90 % of its limit the budget team attaches {POLICY} to {DEPLOYER}, without "
            "approval",
        ),
        (facts(ROLES, roles=("test-cluster-NodeRole", "other")), "to test-cluster-NodeRole, "),
        (facts(ACCOUNTS), "at 5,000 USD the budget team attaches p-1 to this account"),
        (facts(ACCOUNTS, targets=("ou-abcd-11111111",)), "which may contain this account"),
    ],
)
def test_automatic_action_is_reported(rule: Harness, found: Any, message: str) -> None:
    rule.fails("CW-E013", {}, found, path="account", message=message, severity="warning")


@pytest.mark.parametrize(
    "found",
    [
        {BudgetActions(specs.ACCOUNT): ()},
        facts(ROLES, automatic=False),
        facts(ROLES, roles=("researchers",)),
        facts(ACCOUNTS, targets=("999988887777",)),
        facts(BudgetAction("team", "RUN_SSM_DOCUMENTS", True, "100 %")),
    ],
)
def test_actions_that_do_not_concern_the_cluster_pass(rule: Harness, found: Any) -> None:
    rule.passes("CW-E013", {}, found)
