"""Tests of CW-I025."""

from __future__ import annotations

import json
from typing import Any

import pytest

from clusterwright.aws.kms import Key
from clusterwright.aws.ssm import SessionPreferences as Preferences
from clusterwright.preflight.facts.account_settings import (
    EncryptionKey,
    SessionKey,
    SessionPreferences,
)
from tests.preflight.harness import Harness
from tests.support import specs

ARN = f"arn:aws:kms:us-east-1:{specs.ACCOUNT}:key/1234abcd-12ab-34cd-56ef-1234567890ab"
ROOT = {"AWS": f"arn:aws:iam::{specs.ACCOUNT}:root"}
PATH = "identity.session_manager"


def account(key_id: str = "", *, key: EncryptionKey | None = None, **more: Any) -> dict[Any, Any]:
    chosen = {
        "log_group": "",
        "log_group_encrypted": False,
        "bucket": "",
        "bucket_encrypted": False,
        **more,
    }
    return {SessionPreferences(): Preferences(key_id, **chosen), SessionKey(): key}


def with_policy(principal: Any, state: str = "Enabled", **condition: Any) -> dict[Any, Any]:
    statement = {"Effect": "Allow", "Principal": principal, "Action": "kms:*", "Resource": "*"}
    text = json.dumps({"Version": "2012-10-17", "Statement": [{**statement, **condition}]})
    found = EncryptionKey(Key(ARN, state, "SYMMETRIC_DEFAULT", "CUSTOMER"), text)
    return account(ARN, key=found)


def test_account_without_preferences_passes(rule: Harness) -> None:
    rule.passes("CW-I025", {}, {SessionPreferences(): None, SessionKey(): None})
    rule.passes("CW-I025", {}, account())
    rule.passes("CW-I025", {"identity.session_manager": False}, tested=False)


def test_key_that_delegates_to_iam_denies_the_nodes(rule: Harness) -> None:
    finding = rule.fails(
        "CW-I025",
        {},
        with_policy(ROOT),
        path=PATH,
        message=f"encrypt sessions with {ARN}, and neither its policy nor the role of the nodes "
        "allows them kms:Decrypt",
        severity="error",
    )
    assert finding.hint is not None
    assert "identity.kms_key_arn" in finding.hint
    rule.passes("CW-I025", {}, with_policy("*"))
    rule.passes("CW-I025", {"identity.kms_key_arn": ARN}, with_policy(ROOT))


def test_condition_on_the_name_of_the_role_is_unknown(rule: Harness) -> None:
    named = {"ArnLike": {"aws:PrincipalArn": "arn:aws:iam::*:role/nodes"}}
    rule.unsure("CW-I025", {}, with_policy("*", Condition=named), path=PATH,
                message="depends on values that are not known")  # fmt: skip


def test_unusable_key_is_reported(rule: Harness) -> None:
    rule.fails("CW-I025", {}, with_policy("*", "PendingDeletion"), path=PATH,
               message="which is PendingDeletion")  # fmt: skip
    gone = account(ARN, key=EncryptionKey(None, None))
    rule.fails("CW-I025", {}, gone, path=PATH, message=f"with {ARN}, which does not exist")


@pytest.mark.parametrize(
    ("chosen", "message"),
    [
        (
            {"log_group": "/sessions", "log_group_encrypted": True},
            "the log group /sessions, for which the role of the nodes lacks logs:CreateLogStream",
        ),
        (
            {"bucket": "acme-sessions", "bucket_encrypted": True},
            "s3://acme-sessions, for which the role of the nodes lacks s3:GetEncryption",
        ),
    ],
)
def test_enforced_logs_need_permissions(
    rule: Harness, chosen: dict[str, Any], message: str
) -> None:
    rule.fails("CW-I025", {}, account(**chosen), path=PATH, message=message)
    open_ = {name: value for name, value in chosen.items() if not name.endswith("encrypted")}
    rule.passes("CW-I025", {}, account(**open_))
