"""Tests of CW-I004."""

from __future__ import annotations

from clusterwright.preflight.facts import storage
from tests.preflight.harness import Harness
from tests.support import specs


def test_missing_permissions_boundary_is_reported(rule: Harness) -> None:
    arn = f"arn:aws:iam::{specs.ACCOUNT}:policy/boundary"
    changes = {"identity.permissions_boundary_arn": arn}
    path = "identity.permissions_boundary_arn"
    facts = {storage.Policy(arn): False}
    rule.fails("CW-I004", changes, facts, path=path, message=f"the policy {arn} does not exist")
    rule.passes("CW-I004", changes, {storage.Policy(arn): True})
    rule.passes("CW-I004", tested=False)
