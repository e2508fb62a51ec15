"""Tests of services.kms.fixes.key_use."""

from __future__ import annotations

from typing import Any

import pytest

from packages.localaws.tests.parts import client, refusal


@pytest.mark.parametrize(
    ("operation", "parameters"),
    [
        ("encrypt", {"Plaintext": b"text"}),
        ("generate_data_key", {"KeySpec": "AES_256"}),
    ],
)
@pytest.mark.usefixtures("aws")
def test_key_is_used_only_while_it_is_enabled(operation: str, parameters: Any) -> None:
    kms = client("kms")
    key = kms.create_key()["KeyMetadata"]["KeyId"]
    kms.create_alias(AliasName="alias/a", TargetKeyId=key)
    use = getattr(kms, operation)
    use(KeyId="alias/a", **parameters)
    kms.disable_key(KeyId=key)
    assert "DisabledException" in str(refusal(use, KeyId="alias/a", **parameters))
    kms.enable_key(KeyId=key)
    use(KeyId=key, **parameters)
    kms.schedule_key_deletion(KeyId=key, PendingWindowInDays=7)
    assert "KMSInvalidStateException" in str(refusal(use, KeyId=key, **parameters))


@pytest.mark.usefixtures("aws")
def test_defaults_of_a_new_key() -> None:
    found = client("kms").create_key()["KeyMetadata"]
    assert (found["KeyUsage"], found["MultiRegion"]) == ("ENCRYPT_DECRYPT", False)
    signing = client("kms").create_key(KeyUsage="SIGN_VERIFY", KeySpec="RSA_2048")["KeyMetadata"]
    assert signing["KeyUsage"] == "SIGN_VERIFY"


@pytest.mark.usefixtures("aws")
def test_key_is_used_as_it_was_created() -> None:
    kms = client("kms")
    sealing = kms.create_key()["KeyMetadata"]["KeyId"]
    signing = kms.create_key(KeyUsage="SIGN_VERIFY", KeySpec="RSA_2048")["KeyMetadata"]["KeyId"]
    algorithm = "RSASSA_PSS_SHA_256"
    code, _ = refusal(kms.sign, KeyId=sealing, Message=b"x", SigningAlgorithm=algorithm)
    assert code == "InvalidKeyUsageException"
    assert refusal(kms.encrypt, KeyId=signing, Plaintext=b"x")[0] == "InvalidKeyUsageException"
    assert kms.sign(KeyId=signing, Message=b"x", SigningAlgorithm=algorithm)["Signature"]
