"""Tests of services.kms.fixes.descriptions."""

from __future__ import annotations

import re

import pytest

from packages.localaws.tests.parts import client

_LISTS = ("EncryptionAlgorithms", "SigningAlgorithms", "MacAlgorithms", "KeyAgreementAlgorithms")


@pytest.mark.parametrize(
    ("spec", "usage", "name", "first"),
    [
        ("SYMMETRIC_DEFAULT", "ENCRYPT_DECRYPT", "EncryptionAlgorithms", "SYMMETRIC_DEFAULT"),
        ("RSA_2048", "ENCRYPT_DECRYPT", "EncryptionAlgorithms", "RSAES_OAEP_SHA_1"),
        ("ECC_NIST_P384", "SIGN_VERIFY", "SigningAlgorithms", "ECDSA_SHA_384"),
        ("HMAC_512", "GENERATE_VERIFY_MAC", "MacAlgorithms", "HMAC_SHA_512"),
        ("ECC_NIST_P256", "KEY_AGREEMENT", "KeyAgreementAlgorithms", "ECDH"),
    ],
)
@pytest.mark.usefixtures("aws")
def test_algorithms_of_a_use(spec: str, usage: str, name: str, first: str) -> None:
    found = client("kms").create_key(KeySpec=spec, KeyUsage=usage)["KeyMetadata"]
    assert [each for each in _LISTS if each in found] == [name]
    assert found[name][0] == first
    assert ("CurrentKeyMaterialId" in found) == (spec == "SYMMETRIC_DEFAULT")


@pytest.mark.usefixtures("aws")
def test_id_of_a_multi_region_key() -> None:
    found = client("kms").create_key(MultiRegion=True)["KeyMetadata"]
    assert re.fullmatch(r"mrk-[0-9a-f]{32}", found["KeyId"])
    assert client("kms").describe_key(KeyId=found["KeyId"])["KeyMetadata"]["Arn"] == found["Arn"]
