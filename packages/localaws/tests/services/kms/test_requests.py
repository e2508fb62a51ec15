"""Tests of services.kms.requests."""

from __future__ import annotations

from typing import Any

import pytest

from packages.localaws.tests.parts import client, refusal


@pytest.mark.parametrize(
    ("request_", "message"),
    [
        (
            {"KeySpec": "HMAC_256"},
            "You must specify a KeyUsage value for all KMS keys except for symmetric encryption "
            "keys.",
        ),
        (
            {"KeySpec": "RSA_2048", "KeyUsage": "KEY_AGREEMENT"},
            "KeyUsage KEY_AGREEMENT is not compatible with KeySpec RSA_2048",
        ),
    ],
)
@pytest.mark.usefixtures("aws")
def test_use_and_spec_of_a_new_key(request_: Any, message: str) -> None:
    assert refusal(client("kms").create_key, **request_) == ("ValidationException", message)


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["one", "one"], "Duplicate tag keys"),
        ([f"key{number}" for number in range(51)], "Too many tags"),
        (["AWS:one"], "Tags beginning with aws: are reserved"),
    ],
)
@pytest.mark.usefixtures("aws")
def test_refused_tags(names: list[str], message: str) -> None:
    kms = client("kms")
    tags = [{"TagKey": name, "TagValue": "x"} for name in names]
    assert refusal(kms.create_key, Tags=tags) == ("TagException", message)
    key = kms.create_key()["KeyMetadata"]["KeyId"]
    assert refusal(kms.tag_resource, KeyId=key, Tags=tags) == ("TagException", message)


@pytest.mark.usefixtures("aws")
def test_grants_of_an_unknown_key_and_no_number_of_bytes() -> None:
    kms = client("kms")
    assert refusal(kms.list_grants, KeyId="none") == ("NotFoundException", "Invalid keyId 'none'")
    assert refusal(kms.generate_random) == ("ValidationException", "NumberOfBytes is required.")


@pytest.mark.usefixtures("aws")
def test_dry_runs_of_grants() -> None:
    kms = client("kms")
    key = kms.create_key()["KeyMetadata"]["KeyId"]
    asked = {
        "KeyId": key,
        "GranteePrincipal": "arn:aws:iam::123456789012:root",
        "Operations": ["Decrypt"],
    }
    assert refusal(kms.create_grant, **asked, DryRun=True)[0] == "DryRunOperationException"
    assert kms.list_grants(KeyId=key)["Grants"] == []
    grant = kms.create_grant(**asked)["GrantId"]
    for operation in (kms.revoke_grant, kms.retire_grant):
        code, _ = refusal(operation, KeyId=key, GrantId=grant, DryRun=True)
        assert code == "DryRunOperationException"
    assert len(kms.list_grants(KeyId=key)["Grants"]) == 1
    unknown = refusal(kms.revoke_grant, KeyId=key, GrantId="0" * 64, DryRun=True)
    assert unknown[0] == "NotFoundException"
    kms.retire_grant(KeyId=key, GrantId=grant)
    assert kms.list_grants(KeyId=key)["Grants"] == []
