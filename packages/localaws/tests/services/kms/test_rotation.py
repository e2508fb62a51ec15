"""Tests of services.kms.rotation."""

from __future__ import annotations

import datetime as dt

import pytest

from clusterwright_localaws.core.runtime import Runtime
from packages.localaws.tests.parts import client, refusal

_DAY = 86_400


def key(**more: str) -> str:
    return str(client("kms").create_key(**more)["KeyMetadata"]["KeyId"])


def test_the_next_rotation_moves_with_the_time(aws: Runtime) -> None:
    kms, one = client("kms"), key()
    assert kms.get_key_rotation_status(KeyId=one)["KeyRotationEnabled"] is False
    kms.enable_key_rotation(KeyId=one, RotationPeriodInDays=100)
    first = kms.get_key_rotation_status(KeyId=one)
    assert first["RotationPeriodInDays"] == 100
    aws.clock.advance(150 * _DAY)
    second = kms.get_key_rotation_status(KeyId=one)
    assert second["NextRotationDate"] - first["NextRotationDate"] == dt.timedelta(days=100)


@pytest.mark.usefixtures("aws")
def test_a_key_pending_deletion_does_not_rotate() -> None:
    kms, one = client("kms"), key()
    kms.enable_key_rotation(KeyId=one)
    kms.schedule_key_deletion(KeyId=one)
    assert kms.get_key_rotation_status(KeyId=one)["KeyRotationEnabled"] is False
    kms.cancel_key_deletion(KeyId=one)
    assert kms.get_key_rotation_status(KeyId=one)["KeyRotationEnabled"] is True


@pytest.mark.parametrize("operation", ["enable_key_rotation", "disable_key_rotation"])
@pytest.mark.usefixtures("aws")
def test_refused_keys(operation: str) -> None:
    kms = client("kms")
    change = getattr(kms, operation)
    signing = key(KeySpec="RSA_2048", KeyUsage="SIGN_VERIFY")
    assert refusal(change, KeyId=signing)[0] == "UnsupportedOperationException"
    disabled = key()
    kms.disable_key(KeyId=disabled)
    assert refusal(change, KeyId=disabled)[0] == "DisabledException"
    assert refusal(kms.rotate_key_on_demand, KeyId=disabled)[0] == "DisabledException"
    unknown = "12345678-1234-1234-1234-123456789012"
    assert refusal(change, KeyId=unknown)[0] == "NotFoundException"
