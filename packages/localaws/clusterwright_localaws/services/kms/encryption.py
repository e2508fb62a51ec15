"""Encrypt, Decrypt and ReEncrypt, with symmetric and with RSA keys; moto's ciphertexts.

https://docs.aws.amazon.com/kms/latest/APIReference/API_Encrypt.html
https://docs.aws.amazon.com/kms/latest/APIReference/API_Decrypt.html
https://docs.aws.amazon.com/kms/latest/APIReference/API_ReEncrypt.html
"""

from __future__ import annotations

from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

from clusterwright_localaws.core.call import Call, operation
from clusterwright_localaws.core.errors import AwsError
from clusterwright_localaws.services.kms import keys

_USAGE = "ENCRYPT_DECRYPT"
_LENGTHS = range(1, 4097)  # bytes


@operation("kms", "Encrypt")
def encrypt(call: Call) -> Mapping[str, Any]:
    asked = call.parameters
    algorithm = asked.get("EncryptionAlgorithm") or keys.SYMMETRIC
    _check_length(len(asked["Plaintext"]))
    key = keys.key_of(call)
    _check(key, algorithm, "Encrypt")
    keys.end_dry_run(call)
    blob = seal(key, algorithm, asked["Plaintext"], asked.get("EncryptionContext") or {})
    return {"CiphertextBlob": blob, "KeyId": key.arn, "EncryptionAlgorithm": algorithm}


@operation("kms", "Decrypt")
def decrypt(call: Call) -> Mapping[str, Any]:
    asked = call.parameters
    algorithm = asked.get("EncryptionAlgorithm") or keys.SYMMETRIC
    key, plaintext, material = _open(
        call, "KeyId", algorithm, asked.get("EncryptionContext") or {}, "Decrypt"
    )
    keys.end_dry_run(call)
    answer = {"Plaintext": plaintext, "KeyId": key.arn, "EncryptionAlgorithm": algorithm}
    return {**answer, "KeyMaterialId": keys.material_id(key, material)} if material else answer


@operation("kms", "ReEncrypt")
def re_encrypt(call: Call) -> Mapping[str, Any]:
    asked = call.parameters
    before = asked.get("SourceEncryptionAlgorithm") or keys.SYMMETRIC
    after = asked.get("DestinationEncryptionAlgorithm") or keys.SYMMETRIC
    context = asked.get("SourceEncryptionContext") or {}
    source, plaintext, _ = _open(call, "SourceKeyId", before, context, "ReEncryptFrom")
    target = keys.key_of(call, "DestinationKeyId")
    _check(target, after, "ReEncryptTo")
    keys.end_dry_run(call)
    context = asked.get("DestinationEncryptionContext") or {}
    return {
        "CiphertextBlob": seal(target, after, plaintext, context),
        "SourceKeyId": source.arn,
        "KeyId": target.arn,
        "SourceEncryptionAlgorithm": before,
        "DestinationEncryptionAlgorithm": after,
    }


def seal(key: Any, algorithm: str, plaintext: bytes, context: Mapping[str, str]) -> bytes:
    """Return a ciphertext of `plaintext` under a key that the caller checked.

    Raises
    ------
    AwsError
        ValidationException: the text is too long for an RSA key.
    """
    from moto.kms import utils

    if algorithm == keys.SYMMETRIC:
        return bytes(utils.encrypt({key.id: key}, key.id, plaintext, dict(context)))
    padding = oaep(algorithm)
    # RFC 8017, 7.1.1: the modulus, less two digests and two bytes.
    longest = (
        key.private_key.private_key.key_size // 8 - 2 * padding.mgf._algorithm.digest_size - 2
    )
    if len(plaintext) > longest:
        raise AwsError(
            "ValidationException",
            f"Algorithm {algorithm} and key spec {key.key_spec} cannot encrypt data larger than "
            f"{longest} bytes.",
            400,
        )
    return bytes(key.private_key.private_key.public_key().encrypt(plaintext, padding))


def oaep(algorithm: str) -> Any:
    """Return the padding of an algorithm whose name ends with its digest, SHA_1 or SHA_256."""
    from cryptography.hazmat.primitives import hashes
    from cryptography.hazmat.primitives.asymmetric import padding

    digest = hashes.SHA256() if algorithm.endswith("SHA_256") else hashes.SHA1()  # noqa: S303
    return padding.OAEP(mgf=padding.MGF1(digest), algorithm=digest, label=None)


def _check_length(length: int) -> None:
    """Refuse a text by its length without its value, as KMS does."""
    if length in _LENGTHS:
        return
    bound = f"greater than or equal to {_LENGTHS[0]}"
    if length > _LENGTHS[-1]:
        bound = f"less than or equal to {_LENGTHS[-1]}"
    raise AwsError(
        "ValidationException",
        "1 validation error detected: Value at 'plaintext' failed to satisfy constraint: Member "
        f"must have length {bound}",
        400,
    )


def _open(
    call: Call, member: str, algorithm: str, context: Mapping[str, str], named: str
) -> tuple[Any, bytes, bytes]:
    """Return the key of a ciphertext, the plaintext, and the symmetric material that opened it."""
    given = keys.key_of(call, member) if call.parameters.get(member) else None
    blob: bytes | None = call.parameters.get("CiphertextBlob")
    if blob is None:
        # The model does not require it: ReEncrypt has dry runs without one.
        raise AwsError(
            "ValidationException",
            "1 validation error detected: Value null at 'ciphertextBlob' failed to satisfy "
            "constraint: Member must not be null",
            400,
        )
    if algorithm != keys.SYMMETRIC:
        return _open_rsa(given, blob, algorithm, named)
    key = _named_in(call, blob)
    if given is not None and given.id != key.id:
        raise AwsError(
            "IncorrectKeyException",
            "The key ID in the request does not identify a CMK that can perform this operation.",
            400,
        )
    _check(key, algorithm, named)
    from moto.kms import exceptions, utils

    for material in (key.key_material, *getattr(key, "past_materials", ())):
        stand_in = SimpleNamespace(key_material=material)
        try:
            return key, utils.decrypt({key.id: stand_in}, blob, dict(context))[0], material
        except exceptions.InvalidCiphertextException:
            continue
    raise AwsError("InvalidCiphertextException", "", 400)


def _open_rsa(key: Any, blob: bytes, algorithm: str, named: str) -> tuple[Any, bytes, bytes]:
    if key is None:
        raise AwsError("ValidationException", f"KeyId is required for {algorithm}.", 400)
    _check(key, algorithm, named)
    try:
        return key, key.private_key.private_key.decrypt(blob, oaep(algorithm)), b""
    except ValueError as error:
        raise AwsError("InvalidCiphertextException", "", 400) from error


def _named_in(call: Call, blob: bytes) -> Any:
    """Return the key whose id is in a ciphertext."""
    import struct

    from moto.kms import utils

    kms = keys.backend_of(call)
    try:
        name = utils._deserialize_ciphertext_blob(blob).key_id
    except (struct.error, UnicodeDecodeError) as error:
        raise AwsError("InvalidCiphertextException", "", 400) from error
    if name in kms.keys:
        return kms.keys[name]
    if not keys.is_key_id(name):
        raise AwsError("InvalidCiphertextException", "", 400)
    raise AwsError(
        "AccessDeniedException",
        "The ciphertext refers to a customer master key that does not exist, does not exist in "
        "this region, or you are not allowed to access.",
        400,
    )


def _check(key: Any, algorithm: str, named: str) -> None:
    keys.check_use(key, _USAGE, named)
    keys.check_algorithm(key, algorithm, keys.algorithms_of(key)["EncryptionAlgorithms"])
