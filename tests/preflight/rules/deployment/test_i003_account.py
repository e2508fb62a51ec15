"""Tests of CW-I003."""

from __future__ import annotations

from clusterwright.preflight.facts import account
from tests.preflight.harness import Harness
from tests.support import specs


def test_account_of_the_credentials_is_compared(rule: Harness) -> None:
    rule.fails(
        "CW-I003",
        facts={account.CallerAccount(): "999988887777"},
        path="account",
        message="the credentials belong to 999988887777, the cluster to 111122223333: every",
        severity="warning",
    )
    rule.passes("CW-I003", facts={account.CallerAccount(): specs.ACCOUNT})
