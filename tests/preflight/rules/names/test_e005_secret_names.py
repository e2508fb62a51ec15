"""Tests of CW-E005."""

from __future__ import annotations

from clusterwright.aws.secretsmanager import Secret
from clusterwright.preflight.facts.deployment import (
    NamedSecret,
)
from tests.preflight.harness import Harness
from tests.preflight.rules.support.names import ALREADY, HERE, SCRIPTED, stacks
from tests.support import specs


def test_secret_names_pending_deletion_are_reported(rule: Harness) -> None:
    arn = f"arn:aws:secretsmanager:us-east-1:{specs.ACCOUNT}:secret:test/munge-key-AbCdEf"
    fact = NamedSecret("test/munge-key")
    own = stacks(("AWS::SecretsManager::Secret", arn))
    deleted, there = Secret(arn, True, None), Secret(arn, False, None)
    finding = rule.fails(
        "CW-E005",
        SCRIPTED,
        {fact: deleted, **stacks()},
        path=HERE,
        message="scheduled for deletion and keeps its name",
    )
    assert finding.hint is not None
    assert "--force-delete-without-recovery" in finding.hint
    rule.fails("CW-E005", SCRIPTED, {fact: there, **stacks()}, path=HERE, message=ALREADY)
    rule.passes("CW-E005", SCRIPTED, {fact: there, **own})
    rule.passes("CW-E005", SCRIPTED, {fact: None, **stacks()})
    rule.passes("CW-E005", {}, tested=False)
