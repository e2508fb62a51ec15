"""Tests of services.kms.fixes.pending_deletion."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from botocore.exceptions import ClientError

from clusterwright_localaws import local_aws
from packages.localaws.tests.cloudformation.stacks import (
    aws,
)


def refusal(call: Callable[..., Any], **parameters: Any) -> tuple[str, str]:
    with pytest.raises(ClientError) as caught:
        call(**parameters)
    error = caught.value.response["Error"]
    return error["Code"], error["Message"]


class TestKeys:
    def test_key_pending_deletion_is_refused(self) -> None:
        with local_aws() as runtime:
            kms = aws("kms")
            key = kms.create_key()["KeyMetadata"]
            kms.create_alias(AliasName="alias/a", TargetKeyId=key["KeyId"])
            kms.schedule_key_deletion(KeyId=key["Arn"], PendingWindowInDays=7)
            assert refusal(kms.enable_key, KeyId=key["KeyId"])[0] == "KMSInvalidStateException"
            runtime.clock.advance(6 * 86_400)
            assert kms.describe_key(KeyId=key["KeyId"])["KeyMetadata"]["KeyState"] == (
                "PendingDeletion"
            )
            runtime.clock.advance(2 * 86_400)
            assert refusal(kms.describe_key, KeyId=key["KeyId"])[0] == "NotFoundException"
            aliases = kms.list_aliases()["Aliases"]
            assert [alias for alias in aliases if alias["AliasName"] == "alias/a"] == []

    def test_deletion_can_be_cancelled(self) -> None:
        with local_aws() as runtime:
            kms = aws("kms")
            key = kms.create_key()["KeyMetadata"]["KeyId"]
            kms.schedule_key_deletion(KeyId=key, PendingWindowInDays=7)
            kms.cancel_key_deletion(KeyId=key)
            runtime.clock.advance(8 * 86_400)
            assert kms.describe_key(KeyId=key)["KeyMetadata"]["KeyState"] == "Disabled"
