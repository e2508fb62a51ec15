"""Tests of CW-I002."""

from __future__ import annotations

import dataclasses

import pytest

from clusterwright.aws.kms import Key
from clusterwright.preflight.facts import storage
from tests.preflight.harness import Harness
from tests.preflight.rules.support.settings import ARN, GIVEN, KEY


@pytest.mark.parametrize(
    ("key", "message"),
    [
        (None, "the key does not exist"),
        (dataclasses.replace(KEY, state="PendingDeletion"), "the key is PendingDeletion"),
        (dataclasses.replace(KEY, spec="RSA_2048"), "the key is RSA_2048"),
        (
            dataclasses.replace(KEY, manager="AWS"),
            "the key is an AWS managed key, whose policy cannot be changed for the cluster",
        ),
    ],
)
def test_unusable_key_is_reported(rule: Harness, key: Key | None, message: str) -> None:
    facts = {storage.Key(ARN): key}
    rule.fails("CW-I002", GIVEN, facts, path="identity.kms_key_arn", message=message)
    rule.passes("CW-I002", GIVEN, {storage.Key(ARN): KEY})
    odd = {storage.Key(ARN): dataclasses.replace(KEY, spec="")}
    path = "identity.kms_key_arn"
    rule.unsure("CW-I002", GIVEN, odd, path=path, message="does not report the key's spec")
    rule.passes("CW-I002", tested=False)
