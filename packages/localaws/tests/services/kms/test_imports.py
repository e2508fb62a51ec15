"""Tests of services.kms.imports."""

from __future__ import annotations

import os
from typing import Any

import pytest
from cryptography.hazmat.primitives import hashes, keywrap, serialization
from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa
from cryptography.hazmat.primitives.serialization import load_der_public_key

from clusterwright_localaws.core.runtime import Runtime
from packages.localaws.tests.parts import REGION, client, refusal

_OAEP = padding.OAEP(mgf=padding.MGF1(hashes.SHA256()), algorithm=hashes.SHA256(), label=None)
_DAY_S = 86_400
_THERE = "us-west-2"


def new(**more: Any) -> str:
    return str(client("kms").create_key(Origin="EXTERNAL", **more)["KeyMetadata"]["Arn"])


def state(key: str, region: str = REGION) -> Any:
    return client("kms", region).describe_key(KeyId=key)["KeyMetadata"]


def parameters(
    key: str, algorithm: str = "RSAES_OAEP_SHA_256", region: str = REGION
) -> tuple[bytes, Any]:
    found = client("kms", region).get_parameters_for_import(
        KeyId=key, WrappingAlgorithm=algorithm, WrappingKeySpec="RSA_2048"
    )
    return found["ImportToken"], load_der_public_key(found["PublicKey"])


def load(key: str, material: bytes, region: str = REGION, **more: Any) -> Any:
    token, public = parameters(key, region=region)
    more.setdefault("ExpirationModel", "KEY_MATERIAL_DOES_NOT_EXPIRE")
    return client("kms", region).import_key_material(
        KeyId=key,
        ImportToken=token,
        EncryptedKeyMaterial=public.encrypt(material, _OAEP),
        **more,
    )


def load_private(key: str, private: Any) -> None:
    """Import a private key, which is too long for RSA alone."""
    raw = private.private_bytes(
        serialization.Encoding.DER,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    token, public = parameters(key, "RSA_AES_KEY_WRAP_SHA_256")
    inner = os.urandom(32)
    client("kms").import_key_material(
        KeyId=key,
        ImportToken=token,
        EncryptedKeyMaterial=public.encrypt(inner, _OAEP)
        + keywrap.aes_key_wrap_with_padding(inner, raw),
        ExpirationModel="KEY_MATERIAL_DOES_NOT_EXPIRE",
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
    load_private(key, private)
    expected = private.public_key().public_bytes(
        serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo
    )
    assert kms.get_public_key(KeyId=key)["PublicKey"] == expected


@pytest.mark.parametrize(
    ("spec", "wrong", "right"),
    [
        ("SYMMETRIC_DEFAULT", [5, 16, 33], [32]),
        ("HMAC_224", [27, 129], [28, 128]),
        ("HMAC_512", [32, 63], [64]),
    ],
)
@pytest.mark.usefixtures("aws")
def test_lengths_of_material(spec: str, wrong: list[int], right: list[int]) -> None:
    usage = "GENERATE_VERIFY_MAC" if spec.startswith("HMAC") else "ENCRYPT_DECRYPT"
    for length in wrong:
        key = new(KeySpec=spec, KeyUsage=usage)
        assert refusal(load, key=key, material=b"m" * length)[0] == "IncorrectKeyMaterialException"
        assert state(key)["KeyState"] == "PendingImport"
    for length in right:
        key = new(KeySpec=spec, KeyUsage=usage)
        load(key, b"m" * length)
        assert state(key)["KeyState"] == "Enabled"


@pytest.mark.usefixtures("aws")
def test_new_material_has_the_length_of_the_spec() -> None:
    key = new()
    load(key, b"m" * 32)
    wrong = {"key": key, "material": b"n" * 5, "ImportType": "NEW_KEY_MATERIAL"}
    assert refusal(load, **wrong)[0] == "IncorrectKeyMaterialException"


@pytest.mark.usefixtures("aws")
def test_private_keys_of_another_spec() -> None:
    small = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    curve = ec.generate_private_key(ec.SECP256R1())
    for spec, private in (
        ("RSA_2048", curve),
        ("RSA_3072", small),
        ("ECC_NIST_P256", small),
        ("ECC_NIST_P384", curve),
        ("ECC_SECG_P256K1", curve),
    ):
        key = new(KeySpec=spec, KeyUsage="SIGN_VERIFY")
        code, _ = refusal(load_private, key=key, private=private)
        assert code == "IncorrectKeyMaterialException"
        assert state(key)["KeyState"] == "PendingImport"
    key = new(KeySpec="ECC_NIST_P256", KeyUsage="SIGN_VERIFY")
    assert refusal(load, key=key, material=b"no key")[0] == "IncorrectKeyMaterialException"


@pytest.mark.usefixtures("aws")
def test_material_of_asymmetric_and_hmac_keys_is_not_changed() -> None:
    key = new(KeySpec="ECC_NIST_P256", KeyUsage="SIGN_VERIFY")
    private = ec.generate_private_key(ec.SECP256R1())
    load_private(key, private)
    load_private(key, private)
    other = ec.generate_private_key(ec.SECP256R1())
    code, _ = refusal(load_private, key=key, private=other)
    assert code == "IncorrectKeyMaterialException"
    mac = new(KeySpec="HMAC_256", KeyUsage="GENERATE_VERIFY_MAC")
    load(mac, b"m" * 32)
    assert refusal(load, key=mac, material=b"n" * 32)[0] == "IncorrectKeyMaterialException"


@pytest.mark.usefixtures("aws")
def test_replica_imports_the_material_of_its_primary() -> None:
    kms, there = client("kms"), client("kms", _THERE)
    key = state(new(MultiRegion=True))["KeyId"]
    load(key, b"m" * 32)
    sealed = kms.encrypt(KeyId=key, Plaintext=b"x")["CiphertextBlob"]
    kms.replicate_key(KeyId=key, ReplicaRegion=_THERE)
    found = state(key, _THERE)
    assert (found["KeyState"], found["Enabled"]) == ("PendingImport", False)
    assert "ExpirationModel" not in found
    assert refusal(there.decrypt, CiphertextBlob=sealed)[0] == "KMSInvalidStateException"
    other = {"key": key, "material": b"n" * 32, "region": _THERE}
    assert refusal(load, **other)[0] == "IncorrectKeyMaterialException"
    load(key, b"m" * 32, _THERE)
    assert there.decrypt(CiphertextBlob=sealed)["Plaintext"] == b"x"
    assert state(key)["CurrentKeyMaterialId"] == state(key, _THERE)["CurrentKeyMaterialId"]


@pytest.mark.usefixtures("aws")
def test_new_material_of_a_primary_is_imported_into_its_replicas_before_the_rotation() -> None:
    kms, there = client("kms"), client("kms", _THERE)
    key = state(new(MultiRegion=True))["KeyId"]
    load(key, b"m" * 32)
    kms.replicate_key(KeyId=key, ReplicaRegion=_THERE)
    load(key, b"m" * 32, _THERE)
    direct = {"key": key, "material": b"n" * 32, "region": _THERE}
    code, _ = refusal(load, **direct, ImportType="NEW_KEY_MATERIAL")
    assert code == "IncorrectKeyMaterialException"
    load(key, b"n" * 32, ImportType="NEW_KEY_MATERIAL")
    assert refusal(kms.rotate_key_on_demand, KeyId=key)[0] == "KMSInvalidStateException"
    load(key, b"n" * 32, _THERE)
    assert state(key, _THERE)["CurrentKeyMaterialId"] == state(key)["CurrentKeyMaterialId"]
    kms.rotate_key_on_demand(KeyId=key)
    sealed = kms.encrypt(KeyId=key, Plaintext=b"x")["CiphertextBlob"]
    assert there.decrypt(CiphertextBlob=sealed)["Plaintext"] == b"x"
    assert state(key, _THERE)["CurrentKeyMaterialId"] == state(key)["CurrentKeyMaterialId"]


def test_key_without_material_is_pending_import_after_a_cancelled_deletion(aws: Runtime) -> None:
    kms, key = client("kms"), new()
    expiring = new()
    ends = aws.clock.now().timestamp() + _DAY_S
    load(expiring, b"m" * 32, ExpirationModel="KEY_MATERIAL_EXPIRES", ValidTo=ends)
    for one in (key, expiring):
        kms.schedule_key_deletion(KeyId=one, PendingWindowInDays=7)
    aws.clock.advance(2 * _DAY_S)
    for one in (key, expiring):
        kms.cancel_key_deletion(KeyId=one)
        assert state(one)["KeyState"] == "PendingImport"
        assert refusal(kms.enable_key, KeyId=one)[0] == "KMSInvalidStateException"
    load(key, b"m" * 32)
    kms.schedule_key_deletion(KeyId=key, PendingWindowInDays=7)
    kms.cancel_key_deletion(KeyId=key)
    assert state(key)["KeyState"] == "Disabled"
