"""Tests of services.kms.deletion."""

from __future__ import annotations

import pytest

from packages.localaws.tests.parts import client, refusal


@pytest.mark.usefixtures("aws")
def test_waiting_period() -> None:
    kms = client("kms")
    one = kms.create_key()["KeyMetadata"]
    for days in (6, 31):
        code, _ = refusal(kms.schedule_key_deletion, KeyId=one["KeyId"], PendingWindowInDays=days)
        assert code == "ValidationException"
    found = kms.schedule_key_deletion(KeyId=one["KeyId"])
    assert (found["KeyId"], found["KeyState"], found["PendingWindowInDays"]) == (
        one["Arn"],
        "PendingDeletion",
        30,
    )
    assert refusal(kms.schedule_key_deletion, KeyId=one["KeyId"])[0] == "KMSInvalidStateException"


@pytest.mark.usefixtures("aws")
def test_only_a_scheduled_deletion_is_cancelled() -> None:
    kms = client("kms")
    one = kms.create_key()["KeyMetadata"]["Arn"]
    assert refusal(kms.cancel_key_deletion, KeyId=one)[0] == "KMSInvalidStateException"
    kms.schedule_key_deletion(KeyId=one, PendingWindowInDays=7)
    assert kms.cancel_key_deletion(KeyId=one)["KeyId"] == one
    assert kms.describe_key(KeyId=one)["KeyMetadata"]["KeyState"] == "Disabled"
    unknown = "12345678-1234-1234-1234-123456789012"
    assert refusal(kms.cancel_key_deletion, KeyId=unknown)[0] == "NotFoundException"
