"""Tests of services.kms.data_keys."""

from __future__ import annotations

from typing import Any

import pytest

from packages.localaws.tests.parts import client, refusal


@pytest.mark.parametrize(
    ("asked", "length"), [({"KeySpec": "AES_128"}, 16), ({"NumberOfBytes": 24}, 24)]
)
@pytest.mark.usefixtures("aws")
def test_data_key(asked: Any, length: int) -> None:
    kms = client("kms")
    key = kms.create_key()["KeyMetadata"]
    context = {"EncryptionContext": {"a": "b"}}
    made = kms.generate_data_key(KeyId=key["KeyId"], **asked, **context)
    assert (made["KeyId"], len(made["Plaintext"])) == (key["Arn"], length)
    assert made["KeyMaterialId"] == key["CurrentKeyMaterialId"]
    opened = kms.decrypt(CiphertextBlob=made["CiphertextBlob"], **context)
    assert opened["Plaintext"] == made["Plaintext"]
    bare = kms.generate_data_key_without_plaintext(KeyId=key["KeyId"], **asked)
    assert "Plaintext" not in bare
    assert len(kms.decrypt(CiphertextBlob=bare["CiphertextBlob"])["Plaintext"]) == length


@pytest.mark.parametrize("operation", ["generate_data_key", "generate_data_key_without_plaintext"])
@pytest.mark.usefixtures("aws")
def test_refusals(operation: str) -> None:
    kms = client("kms")
    generate = getattr(kms, operation)
    key = kms.create_key()["KeyMetadata"]["KeyId"]
    pair = kms.create_key(KeySpec="RSA_2048", KeyUsage="ENCRYPT_DECRYPT")["KeyMetadata"]["KeyId"]
    assert refusal(generate, KeyId=pair, KeySpec="AES_256") == (
        "InvalidKeyUsageException",
        "Algorithm SYMMETRIC_DEFAULT is incompatible with key spec RSA_2048.",
    )
    code, _ = refusal(generate, KeyId=key, KeySpec="AES_256", DryRun=True)
    assert code == "DryRunOperationException"
    for asked in ({}, {"KeySpec": "AES_256", "NumberOfBytes": 1}):
        assert refusal(generate, KeyId=key, **asked) == (
            "ValidationException",
            "Please specify either number of bytes or key spec.",
        )
