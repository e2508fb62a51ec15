"""Tests of services.kms.imports."""

from __future__ import annotations

import os
from typing import Any

import pytest
from cryptography.hazmat.primitives import hashes, keywrap, serialization
from cryptography.hazmat.primitives.asymmetric import ec, padding
from cryptography.hazmat.primitives.serialization import load_der_public_key

from clusterwright_localaws.core.runtime import Runtime
from packages.localaws.tests.parts import client, refusal

_OAEP = padding.OAEP(mgf=padding.MGF1(hashes.SHA256()), algorithm=hashes.SHA256(), label=None)
_DAY_S = 86_400


def new(**more: str) -> str:
    return str(client("kms").create_key(Origin="EXTERNAL", **more)["KeyMetadata"]["Arn"])


def state(key: str) -> Any:
    return client("kms").describe_key(KeyId=key)["KeyMetadata"]


def parameters(key: str, algorithm: str = "RSAES_OAEP_SHA_256") -> tuple[bytes, Any]:
    found = client("kms").get_parameters_for_import(
        KeyId=key, WrappingAlgorithm=algorithm, WrappingKeySpec="RSA_2048"
    )
    return found["ImportToken"], load_der_public_key(found["PublicKey"])


def load(key: str, material: bytes, **more: Any) -> Any:
    token, public = parameters(key)
    more.setdefault("ExpirationModel", "KEY_MATERIAL_DOES_NOT_EXPIRE")
    return client("kms").import_key_material(
        KeyId=key,
        ImportToken=token,
        EncryptedKeyMaterial=public.encrypt(material, _OAEP),
        **more,
    )


@pytest.mark.usefixtures("aws")
def test_key_without_material_is_not_used() -> None:
    kms, key = client("kms"), new()
    assert (state(key)["KeyState"], state(key)["Enabled"]) == ("PendingImport", False)
    assert "CurrentKeyMaterialId" not in state(key)
    pending = ("KMSInvalidStateException", f"{key} is pending import.")
    assert refusal(kms.encrypt, KeyId=key, Plaintext=b"x") == pending
    assert refusal(kms.enable_key, KeyId=key) == pending
    named = load(key, b"m" * 32)["KeyMaterialId"]
    found = state(key)
    assert (found["KeyState"], found["CurrentKeyMaterialId"]) == ("Enabled", named)
    assert found["ExpirationModel"] == "KEY_MATERIAL_DOES_NOT_EXPIRE"
    sealed = kms.encrypt(KeyId=key, Plaintext=b"x")["CiphertextBlob"]
    kms.delete_imported_key_material(KeyId=key)
    assert refusal(kms.decrypt, CiphertextBlob=sealed) == pending
    load(key, b"m" * 32)
    assert kms.decrypt(CiphertextBlob=sealed)["Plaintext"] == b"x"


@pytest.mark.usefixtures("aws")
def test_refused_imports() -> None:
    kms, key, own = client("kms"), new(), kms_key()
    code, message = refusal(
        kms.get_parameters_for_import,
        KeyId=own,
        WrappingAlgorithm="RSAES_OAEP_SHA_256",
        WrappingKeySpec="RSA_2048",
    )
    assert code == "UnsupportedOperationException"
    assert message == f"{own} origin is AWS_KMS which is not valid for this operation."
    assert refusal(load, key=key, material=b"m" * 32, ExpirationModel="KEY_MATERIAL_EXPIRES")[
        1
    ] == ("A validTo date must be set if the ExpirationModel is KEY_MATERIAL_EXPIRES")
    given = {"KeyId": key, "ExpirationModel": "KEY_MATERIAL_DOES_NOT_EXPIRE"}
    unknown = {"ImportToken": b"x", "EncryptedKeyMaterial": b"x"}
    assert refusal(kms.import_key_material, **given, **unknown)[0] == "InvalidImportTokenException"
    load(key, b"m" * 32)
    assert refusal(load, key=key, material=b"n" * 32)[0] == "IncorrectKeyMaterialException"


def kms_key() -> str:
    return str(client("kms").create_key()["KeyMetadata"]["Arn"])


def test_material_ends(aws: Runtime) -> None:
    key = new()
    load(
        key,
        b"m" * 32,
        ExpirationModel="KEY_MATERIAL_EXPIRES",
        ValidTo=aws.clock.now().timestamp() + _DAY_S,
    )
    assert state(key)["KeyState"] == "Enabled"
    aws.clock.advance(2 * _DAY_S)
    assert state(key)["KeyState"] == "PendingImport"


@pytest.mark.usefixtures("aws")
def test_new_material_waits_for_a_rotation() -> None:
    kms, key = client("kms"), new()
    first = load(key, b"m" * 32)["KeyMaterialId"]
    code, message = refusal(kms.rotate_key_on_demand, KeyId=key)
    assert code == "KMSInvalidStateException"
    assert message == f"No available key material pending rotation for the key: {key}."
    second = load(key, b"n" * 32, ImportType="NEW_KEY_MATERIAL")["KeyMaterialId"]
    assert state(key)["CurrentKeyMaterialId"] == first
    code, message = refusal(load, key=key, material=b"o" * 32, ImportType="NEW_KEY_MATERIAL")
    assert code == "KMSInvalidStateException"
    assert f"because another key material (id: {second}) is pending rotation." in message
    kms.rotate_key_on_demand(KeyId=key)
    assert state(key)["CurrentKeyMaterialId"] == second


@pytest.mark.usefixtures("aws")
def test_private_key_wrapped_with_aes() -> None:
    kms, key = client("kms"), new(KeySpec="ECC_NIST_P256", KeyUsage="SIGN_VERIFY")
    private = ec.generate_private_key(ec.SECP256R1())
    raw = private.private_bytes(
        serialization.Encoding.DER,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    token, public = parameters(key, "RSA_AES_KEY_WRAP_SHA_256")
    inner = os.urandom(32)
    kms.import_key_material(
        KeyId=key,
        ImportToken=token,
        EncryptedKeyMaterial=public.encrypt(inner, _OAEP)
        + keywrap.aes_key_wrap_with_padding(inner, raw),
        ExpirationModel="KEY_MATERIAL_DOES_NOT_EXPIRE",
    )
    expected = private.public_key().public_bytes(
        serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo
    )
    assert kms.get_public_key(KeyId=key)["PublicKey"] == expected
