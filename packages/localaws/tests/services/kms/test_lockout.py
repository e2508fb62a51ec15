"""Tests of services.kms.lockout."""

from __future__ import annotations

import json
from typing import Any

import pytest

from packages.localaws.tests.iam.conftest import ACCOUNT, allow, role, user
from packages.localaws.tests.parts import client, refusal

LOCKED = (
    "MalformedPolicyDocumentException",
    "The new key policy will not allow you to update the key policy in the future.",
)
WHOLE = {"Principal": {"AWS": f"arn:aws:iam::{ACCOUNT}:root"}, "Action": "kms:*"}


def document(*statements: dict[str, Any]) -> str:
    made = [{"Effect": "Allow", "Resource": "*", **one} for one in statements]
    return json.dumps({"Version": "2012-10-17", "Statement": made})


@pytest.mark.parametrize(
    "statements",
    [
        [{**WHOLE, "Action": ["kms:Decrypt", "kms:Get*"]}],
        [{"Principal": {"Service": "logs.amazonaws.com"}, "Action": "kms:*"}],
        [WHOLE, {"Effect": "Deny", "Principal": "*", "Action": "kms:Put*"}],
    ],
)
@pytest.mark.usefixtures("aws")
def test_policies_that_lock_everybody_out(statements: list[dict[str, Any]]) -> None:
    kms, text = client("kms"), document(*statements)
    assert refusal(kms.create_key, Policy=text) == LOCKED
    key = kms.create_key()["KeyMetadata"]["KeyId"]
    assert refusal(kms.put_key_policy, KeyId=key, Policy=text) == LOCKED
    kms.put_key_policy(KeyId=key, Policy=text, BypassPolicyLockoutSafetyCheck=True)
    assert json.loads(kms.get_key_policy(KeyId=key)["Policy"]) == json.loads(text)


@pytest.mark.usefixtures("aws")
def test_policies_that_somebody_can_change() -> None:
    kms = client("kms")
    other = {"Principal": {"AWS": "arn:aws:iam::999988887777:role/x"}, "Action": "kms:*"}
    denied = {
        "Effect": "Deny",
        "Principal": {"AWS": "*"},
        "Action": "kms:*",
        "Condition": {"Bool": {"aws:SecureTransport": "false"}},
    }
    for statements in ([WHOLE], [other], [WHOLE, denied]):
        assert kms.create_key(Policy=document(*statements))["KeyMetadata"]["Enabled"]


@pytest.mark.usefixtures("enforced")
def test_the_caller_must_be_able_to_change_the_policy() -> None:
    ann = user("ann", allow(["kms:CreateKey", "kms:PutKeyPolicy"]))
    bob = user("bob", allow("kms:CreateKey"))
    arn = role("some")
    assert ann("kms").create_key(Policy=document(WHOLE))
    # bob's own policies do not allow it, and the key's names only the account.
    assert refusal(bob("kms").create_key, Policy=document(WHOLE)) == LOCKED
    named = document({"Principal": {"AWS": arn}, "Action": "kms:*"})
    assert refusal(ann("kms").create_key, Policy=named) == LOCKED
    ann("kms").create_key(Policy=named, BypassPolicyLockoutSafetyCheck=True)
