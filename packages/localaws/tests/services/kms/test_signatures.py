"""Tests of services.kms.signatures."""

from __future__ import annotations

import hashlib

import pytest
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding
from cryptography.hazmat.primitives.serialization import load_der_public_key

from packages.localaws.tests.parts import client, refusal

PSS = "RSASSA_PSS_SHA_256"


def new(spec: str, usage: str) -> str:
    created = client("kms").create_key(KeySpec=spec, KeyUsage=usage)
    return str(created["KeyMetadata"]["Arn"])


@pytest.mark.usefixtures("aws")
def test_digests_and_messages_are_signed_alike() -> None:
    kms, key = client("kms"), new("RSA_2048", "SIGN_VERIFY")
    named = {"KeyId": key, "SigningAlgorithm": PSS}
    digest = hashlib.sha256(b"message").digest()
    signature = kms.sign(Message=digest, MessageType="DIGEST", **named)["Signature"]
    public = load_der_public_key(kms.get_public_key(KeyId=key)["PublicKey"])
    scheme = padding.PSS(padding.MGF1(hashes.SHA256()), 32)
    public.verify(signature, b"message", scheme, hashes.SHA256())  # type: ignore[union-attr, call-arg]
    assert kms.verify(Message=b"message", Signature=signature, **named)["SignatureValid"]
    code, message = refusal(kms.verify, Message=b"other", Signature=signature, **named)
    assert (code, message) == ("KMSInvalidSignatureException", "")
    code, message = refusal(kms.sign, Message=b"short", MessageType="DIGEST", **named)
    assert (code, message) == (
        "ValidationException",
        f"Digest is invalid length for algorithm {PSS}.",
    )


@pytest.mark.usefixtures("aws")
def test_refusals_name_the_use_and_the_operation() -> None:
    kms, key = client("kms"), new("HMAC_224", "GENERATE_VERIFY_MAC")
    assert refusal(kms.sign, KeyId=key, Message=b"x", SigningAlgorithm=PSS) == (
        "InvalidKeyUsageException",
        f"{key} key usage is GENERATE_VERIFY_MAC which is not valid for Sign.",
    )


@pytest.mark.usefixtures("aws")
def test_macs() -> None:
    kms, key = client("kms"), new("HMAC_256", "GENERATE_VERIFY_MAC")
    named = {"KeyId": key, "MacAlgorithm": "HMAC_SHA_256"}
    made = kms.generate_mac(Message=b"x", **named)
    assert made["KeyId"] == key
    assert kms.verify_mac(Message=b"x", Mac=made["Mac"], **named)["MacValid"]
    code, _ = refusal(kms.verify_mac, Message=b"y", Mac=made["Mac"], **named)
    assert code == "KMSInvalidMacException"
    wrong = {**named, "MacAlgorithm": "HMAC_SHA_512"}
    assert refusal(kms.generate_mac, Message=b"x", **wrong) == (
        "InvalidKeyUsageException",
        "Algorithm HMAC_SHA_512 is incompatible with key spec HMAC_256.",
    )


@pytest.mark.usefixtures("aws")
def test_two_keys_agree_on_a_secret() -> None:
    kms = client("kms")
    one, two = (new("ECC_NIST_P256", "KEY_AGREEMENT") for _ in range(2))
    publics = [kms.get_public_key(KeyId=key)["PublicKey"] for key in (two, one)]
    secrets = {
        kms.derive_shared_secret(KeyId=key, KeyAgreementAlgorithm="ECDH", PublicKey=public)[
            "SharedSecret"
        ]
        for key, public in zip((one, two), publics, strict=True)
    }
    assert len(secrets) == 1
    code, _ = refusal(
        kms.derive_shared_secret, KeyId=one, KeyAgreementAlgorithm="ECDH", PublicKey=b"no key"
    )
    assert code == "ValidationException"
