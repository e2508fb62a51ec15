"""Tests of services.kms.encryption."""

from __future__ import annotations

import pytest

from packages.localaws.tests.parts import client, refusal


def new(**more: str) -> str:
    return str(client("kms").create_key(**more)["KeyMetadata"]["Arn"])


@pytest.mark.usefixtures("aws")
def test_rsa_keys_encrypt_what_fits() -> None:
    kms, key = client("kms"), new(KeySpec="RSA_2048", KeyUsage="ENCRYPT_DECRYPT")
    named = {"KeyId": key, "EncryptionAlgorithm": "RSAES_OAEP_SHA_256"}
    sealed = kms.encrypt(Plaintext=b"x" * 190, **named)
    assert kms.decrypt(CiphertextBlob=sealed["CiphertextBlob"], **named)["Plaintext"] == b"x" * 190
    assert refusal(kms.encrypt, Plaintext=b"x" * 191, **named) == (
        "ValidationException",
        "Algorithm RSAES_OAEP_SHA_256 and key spec RSA_2048 cannot encrypt data larger than "
        "190 bytes.",
    )
    code, message = refusal(kms.encrypt, Plaintext=b"x", KeyId=key)
    assert (code, message) == (
        "InvalidKeyUsageException",
        "Algorithm SYMMETRIC_DEFAULT is incompatible with key spec RSA_2048.",
    )
    other = {**named, "EncryptionAlgorithm": "RSAES_OAEP_SHA_1"}
    blob = sealed["CiphertextBlob"]
    assert refusal(kms.decrypt, CiphertextBlob=blob, **other)[0] == "InvalidCiphertextException"


@pytest.mark.usefixtures("aws")
def test_re_encrypt_answers_both_algorithms_and_keys() -> None:
    kms, one, two = client("kms"), new(), new(KeySpec="RSA_2048", KeyUsage="ENCRYPT_DECRYPT")
    sealed = kms.encrypt(KeyId=one, Plaintext=b"x")["CiphertextBlob"]
    again = kms.re_encrypt(
        CiphertextBlob=sealed,
        DestinationKeyId=two,
        DestinationEncryptionAlgorithm="RSAES_OAEP_SHA_256",
    )
    assert (again["SourceKeyId"], again["KeyId"]) == (one, two)
    assert again["SourceEncryptionAlgorithm"] == "SYMMETRIC_DEFAULT"
    assert again["DestinationEncryptionAlgorithm"] == "RSAES_OAEP_SHA_256"
    code, message = refusal(
        kms.re_encrypt, CiphertextBlob=sealed, SourceKeyId=two, DestinationKeyId=one
    )
    assert code == "IncorrectKeyException"
    assert message.startswith("The key ID in the request does not identify a CMK")


@pytest.mark.usefixtures("aws")
def test_decrypt_finds_earlier_material_after_a_rotation() -> None:
    kms, key = client("kms"), new()
    before = kms.describe_key(KeyId=key)["KeyMetadata"]["CurrentKeyMaterialId"]
    sealed = kms.encrypt(KeyId=key, Plaintext=b"x")["CiphertextBlob"]
    assert kms.rotate_key_on_demand(KeyId=key)["KeyId"] == key
    after = kms.describe_key(KeyId=key)["KeyMetadata"]["CurrentKeyMaterialId"]
    opened = kms.decrypt(CiphertextBlob=sealed)
    assert (opened["Plaintext"], opened["KeyMaterialId"]) == (b"x", before)
    assert after != before
    assert refusal(kms.decrypt, CiphertextBlob=sealed + b"x")[0] == "InvalidCiphertextException"


@pytest.mark.usefixtures("aws")
def test_ciphertext_of_a_multi_region_key() -> None:
    kms = client("kms")
    key = kms.create_key(MultiRegion=True)["KeyMetadata"]["KeyId"]
    sealed = kms.encrypt(KeyId=key, Plaintext=b"x")["CiphertextBlob"]
    assert kms.decrypt(CiphertextBlob=sealed)["Plaintext"] == b"x"
    kms.replicate_key(KeyId=key, ReplicaRegion="us-west-2")
    assert client("kms", "us-west-2").decrypt(CiphertextBlob=sealed)["Plaintext"] == b"x"


@pytest.mark.parametrize(("length", "bound"), [(0, "greater"), (4097, "less")])
@pytest.mark.usefixtures("aws")
def test_length_of_the_text(length: int, bound: str) -> None:
    code, message = refusal(client("kms").encrypt, KeyId=new(), Plaintext=b"x" * length)
    assert code == "ValidationException"
    assert (
        f"Value at 'plaintext' failed to satisfy constraint: Member must have length {bound}"
        in (message)
    )


@pytest.mark.usefixtures("aws")
def test_dry_run_changes_nothing_and_is_an_error() -> None:
    code, message = refusal(client("kms").encrypt, KeyId=new(), Plaintext=b"x", DryRun=True)
    assert (code, message) == (
        "DryRunOperationException",
        "The request would have succeeded, but the DryRun option is set.",
    )
