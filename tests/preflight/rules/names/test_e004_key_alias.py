"""Tests of CW-E004."""

from __future__ import annotations

from clusterwright.aws.kms import Key
from clusterwright.preflight.facts.buckets import KeyAlias
from tests.preflight.harness import Harness
from tests.preflight.rules.support.names import ALREADY, HERE, stacks


def test_existing_key_alias_is_reported(rule: Harness) -> None:
    key = Key("arn:aws:kms:us-east-1:111122223333:key/1", "Enabled", "SYMMETRIC_DEFAULT", "")
    alias = KeyAlias("alias/test")
    finding = rule.fails("CW-E004", {}, {alias: key, **stacks()}, path=HERE, message=ALREADY)
    assert finding.hint is not None
    assert key.arn in finding.hint
    rule.passes("CW-E004", {}, {alias: None, **stacks()})
    rule.passes("CW-E004", {}, {alias: key, **stacks(("AWS::KMS::Alias", "alias/test"))})
    rule.passes("CW-E004", {"identity.kms_key_arn": key.arn}, tested=False)
