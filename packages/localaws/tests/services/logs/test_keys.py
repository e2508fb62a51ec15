"""Tests of services.logs.keys."""

from __future__ import annotations

import json
from typing import Any

import pytest

from packages.localaws.tests.parts import client, refusal

ACCOUNT = "123456789012"


@pytest.mark.usefixtures("aws")
class TestAdded:
    def test_key_of_a_log_group_is_set_and_removed(self) -> None:
        logs = client("logs")
        logs.create_log_group(logGroupName="/a")

        def key() -> str | None:
            return logs.describe_log_groups()["logGroups"][0].get("kmsKeyId")

        kms = client("kms")
        arn = kms.create_key()["KeyMetadata"]["Arn"]
        for call in (logs.associate_kms_key, logs.create_log_group):
            name = "/a" if call == logs.associate_kms_key else "/c"
            code, message = refusal(call, logGroupName=name, kmsKeyId=arn)
            assert code == "InvalidParameterException"
            assert f"not allowed to be used with Arn 'arn:aws:logs:us-east-1:{ACCOUNT}" in message
        statement: dict[str, Any] = {
            "Effect": "Allow",
            "Principal": {"Service": "logs.us-east-1.amazonaws.com"},
            "Action": ["kms:Encrypt*", "kms:Decrypt*", "kms:GenerateDataKey*", "kms:Describe*"],
            "Resource": "*",
        }
        for group in ("/b", "/?"):
            condition = {
                "kms:EncryptionContext:aws:logs:arn": f"arn:aws:logs:*:*:log-group:{group}"
            }
            statement["Condition"] = {"ArnLike": condition}
            text = json.dumps({"Version": "2012-10-17", "Statement": [statement]})
            # It is the only statement, with which no principal may change the policy again.
            kms.put_key_policy(KeyId=arn, Policy=text, BypassPolicyLockoutSafetyCheck=True)
            if group == "/b":
                assert refusal(logs.associate_kms_key, logGroupName="/a", kmsKeyId=arn)
        logs.associate_kms_key(logGroupName="/a", kmsKeyId=arn)
        logs.create_log_group(logGroupName="/c", kmsKeyId=arn)
        logs.delete_log_group(logGroupName="/c")
        assert key() == arn
        logs.disassociate_kms_key(
            resourceIdentifier=f"arn:aws:logs:us-east-1:{ACCOUNT}:log-group:/a"
        )
        assert key() is None
        code, _ = refusal(logs.associate_kms_key, logGroupName="/b", kmsKeyId=arn)
        assert code == "ResourceNotFoundException"
        code, _ = refusal(logs.associate_kms_key, kmsKeyId=arn)
        assert code == "InvalidParameterException"
