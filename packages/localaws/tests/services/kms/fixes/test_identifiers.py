"""Tests of services.kms.fixes.identifiers."""

from __future__ import annotations

import pytest

from packages.localaws.tests.parts import client, refusal

_UNKNOWN = "12345678-1234-1234-1234-123456789012"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("none", "Invalid keyId 'none'"),
        ("mrk-none", "Invalid keyId 'mrk-none'"),
        (_UNKNOWN, "Key '{prefix}/" + _UNKNOWN + "' does not exist"),
        ("{prefix}/" + _UNKNOWN, "Key '{prefix}/" + _UNKNOWN + "' does not exist"),
        ("mrk-" + "a" * 32, "Key '{prefix}/mrk-" + "a" * 32 + "' does not exist"),
        ("arn:aws:kms:us-west-2:1:key/" + _UNKNOWN, "Invalid arn us-west-2"),
    ],
)
@pytest.mark.usefixtures("aws")
def test_keys_that_do_not_exist(name: str, message: str) -> None:
    kms = client("kms")
    prefix = kms.create_key()["KeyMetadata"]["Arn"].rpartition("/")[0]
    wanted = ("NotFoundException", message.format(prefix=prefix))
    assert refusal(kms.describe_key, KeyId=name.format(prefix=prefix)) == wanted
    assert refusal(kms.enable_key, KeyId=name.format(prefix=prefix)) == wanted


@pytest.mark.usefixtures("aws")
def test_name_of_an_alias() -> None:
    kms = client("kms")
    key = kms.create_key()["KeyMetadata"]["KeyId"]
    code, message = refusal(kms.create_alias, AliasName="none", TargetKeyId=key)
    assert code == "ValidationException"
    assert message.startswith('Alias must start with the prefix "alias/". Please see https://')
