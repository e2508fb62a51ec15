"""Tests of CW-I022."""

from __future__ import annotations

import json
from typing import Any

import pytest

from clusterwright.aws.kms import Key
from clusterwright.preflight.facts.buckets import DefaultVolumeKey, VolumeKey
from tests.preflight.harness import Harness
from tests.support import specs

ARN = f"arn:aws:kms:us-east-1:{specs.ACCOUNT}:key/1"
ON_EC2 = {"platform": "parallelcluster"}
ROOT = {"Principal": {"AWS": f"arn:aws:iam::{specs.ACCOUNT}:root"}, "Action": "kms:*"}
AS_MANAGED = {
    "Principal": {"AWS": "*"},
    "Action": [
        "kms:Decrypt",
        "kms:ReEncrypt*",
        "kms:GenerateDataKey*",
        "kms:CreateGrant",
        "kms:DescribeKey",
    ],
    "Condition": {
        "StringEquals": {
            "kms:CallerAccount": specs.ACCOUNT,
            "kms:ViaService": "ec2.us-east-1.amazonaws.com",
        }
    },
}


def chosen(*statements: dict[str, Any], state: str = "Enabled") -> dict[Any, Any]:
    written = [{"Effect": "Allow", "Resource": "*", **one} for one in statements]
    text = json.dumps({"Version": "2012-10-17", "Statement": written})
    key = Key(ARN, state, "SYMMETRIC_DEFAULT", "CUSTOMER")
    return {DefaultVolumeKey(): VolumeKey(ARN, key, text)}


def test_key_of_aws_passes(rule: Harness) -> None:
    rule.passes("CW-I022", ON_EC2, {DefaultVolumeKey(): None})


def test_own_key_needs_a_policy_as_the_managed_one(rule: Harness) -> None:
    finding = rule.fails(
        "CW-I022",
        ON_EC2,
        chosen(ROOT),
        path="platform",
        message=f"the account encrypts volumes with {ARN}, whose policy does not allow the roles "
        "that launch nodes kms:CreateGrant, kms:Decrypt, ",
    )
    assert finding.hint is not None
    assert "ec2.us-east-1.amazonaws.com" in finding.hint
    rule.passes("CW-I022", ON_EC2, chosen(ROOT, AS_MANAGED))
    elsewhere = {"StringEquals": {"kms:ViaService": "ec2.us-west-2.amazonaws.com"}}
    rule.fails(
        "CW-I022",
        ON_EC2,
        chosen(ROOT, {**AS_MANAGED, "Condition": elsewhere}),
        path="platform",
        message="does not allow",
    )


@pytest.mark.parametrize("state", ["Disabled", "PendingDeletion"])
def test_unusable_key_is_reported(rule: Harness, state: str) -> None:
    message = f"the account encrypts volumes with {ARN}, which is {state}"
    rule.fails("CW-I022", ON_EC2, chosen(AS_MANAGED, state=state), path="platform",
               message=message)  # fmt: skip
    gone = {DefaultVolumeKey(): VolumeKey(ARN, None, None)}
    rule.fails("CW-I022", ON_EC2, gone, path="platform", message="which does not exist")


def test_condition_on_the_name_of_the_role_is_unknown(rule: Harness) -> None:
    named = {"ArnLike": {"aws:PrincipalArn": "arn:aws:iam::*:role/parallelcluster/*"}}
    rule.unsure(
        "CW-I022",
        ON_EC2,
        chosen({**AS_MANAGED, "Condition": named}),
        path="platform",
        message="depends on values that are not known",
    )


def test_platforms_that_name_their_key_are_not_asked(rule: Harness) -> None:
    rule.passes("CW-I022", {}, tested=False)
