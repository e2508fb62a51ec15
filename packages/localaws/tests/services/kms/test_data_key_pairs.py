"""Tests of services.kms.data_key_pairs."""

from __future__ import annotations

import pytest
from cryptography.hazmat.primitives.serialization import load_der_private_key

from packages.localaws.tests.parts import client


@pytest.mark.usefixtures("aws")
def test_pair_of_data_keys() -> None:
    kms = client("kms")
    key = kms.create_key()["KeyMetadata"]["Arn"]
    made = kms.generate_data_key_pair(KeyId=key, KeyPairSpec="ECC_NIST_P256")
    assert (made["KeyId"], made["KeyPairSpec"]) == (key, "ECC_NIST_P256")
    opened = kms.decrypt(CiphertextBlob=made["PrivateKeyCiphertextBlob"])["Plaintext"]
    assert opened == made["PrivateKeyPlaintext"]
    assert load_der_private_key(opened, None)
    bare = kms.generate_data_key_pair_without_plaintext(KeyId=key, KeyPairSpec="ECC_NIST_P256")
    assert "PrivateKeyPlaintext" not in bare
