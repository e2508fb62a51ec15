"""Imported key material: parameters for an import, the import, its expiry and deletion.

https://docs.aws.amazon.com/kms/latest/APIReference/API_GetParametersForImport.html
https://docs.aws.amazon.com/kms/latest/APIReference/API_ImportKeyMaterial.html
https://docs.aws.amazon.com/kms/latest/APIReference/API_DeleteImportedKeyMaterial.html
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from clusterwright_localaws.core.call import Call, operation
from clusterwright_localaws.core.errors import AwsError
from clusterwright_localaws.core.timers import timers
from clusterwright_localaws.services.kms import encryption, keys, materials, multi_region

# "valid for 24 hours": API_GetParametersForImport.
_VALID = timedelta(hours=24)
_TOKEN_BYTES = 256
# The API model: KMS no longer supports the first; the second is for Regions in China only.
_NOT_HERE = ("RSAES_PKCS1_V1_5", "SM2PKE")


@dataclass(frozen=True)
class _Import:
    """What GetParametersForImport answered; `wrapping` is the private key."""

    key_id: str
    algorithm: str
    wrapping: Any
    valid_to: datetime


@dataclass
class _Store:
    by_token: dict[bytes, _Import] = field(default_factory=dict)


@operation("kms", "GetParametersForImport")
def get_parameters_for_import(call: Call) -> Mapping[str, Any]:
    from moto.kms import utils

    key = _external(call)
    spec, algorithm = (call.parameters[name] for name in ("WrappingKeySpec", "WrappingAlgorithm"))
    if spec not in utils.KeySpec.rsa_key_specs() or algorithm in _NOT_HERE:
        raise AwsError("UnsupportedOperationException", "", 400)
    pair: Any = utils.generate_private_key(spec)
    token, valid_to = os.urandom(_TOKEN_BYTES), call.now + _VALID
    _store(call).by_token[token] = _Import(key.id, algorithm, pair.private_key, valid_to)
    return {
        "KeyId": key.arn,
        "ImportToken": token,
        "PublicKey": pair.public_key(),
        "ParametersValidTo": valid_to,
    }


@operation("kms", "ImportKeyMaterial")
def import_key_material(call: Call) -> Mapping[str, Any]:
    key, asked = _external(call), call.parameters
    model = asked.get("ExpirationModel") or "KEY_MATERIAL_EXPIRES"
    valid_to = asked.get("ValidTo")
    if model == "KEY_MATERIAL_EXPIRES" and valid_to is None:
        raise AwsError(
            "ValidationException",
            "A validTo date must be set if the ExpirationModel is KEY_MATERIAL_EXPIRES",
            400,
        )
    material = materials.parse(key, _unwrapped(call, key))
    if key.key_spec == keys.SYMMETRIC and _is_next(key, material, asked.get("ImportType")):
        return _pending(key, material)
    # A replica has the material of its primary, from the first import on.
    bound = getattr(key, "imported", False) or multi_region.is_replica(key)
    if bound and not materials.is_current(key, material):
        raise materials.incorrect()
    materials.keep(key, material)
    answer = _imported(call, key, model, valid_to)
    if key.key_spec == keys.SYMMETRIC:
        answer["KeyMaterialId"] = keys.material_id(key, material)
    return answer


@operation("kms", "DeleteImportedKeyMaterial")
def delete_imported_key_material(call: Call) -> Mapping[str, Any]:
    key = _external(call)
    _forget(key)
    if key.key_spec != keys.SYMMETRIC or not keys.has_material(key):
        return {"KeyId": key.arn}
    return {"KeyId": key.arn, "KeyMaterialId": keys.material_id(key, key.key_material)}


def _external(call: Call) -> Any:
    key = keys.key_of(call, aliases=False)
    if key.origin != "EXTERNAL":
        raise AwsError(
            "UnsupportedOperationException",
            f"{key.arn} origin is {key.origin} which is not valid for this operation.",
            400,
        )
    return key


def _unwrapped(call: Call, key: Any) -> bytes:
    """Return the material of a request, decrypted with the private key of its token."""
    found = _store(call).by_token.get(call.parameters["ImportToken"])
    if found is None or found.key_id != key.id:
        raise AwsError("InvalidImportTokenException", "", 400)
    if found.valid_to <= call.now:
        raise AwsError("ExpiredImportTokenException", "", 400)
    wrapped: bytes = call.parameters["EncryptedKeyMaterial"]
    from cryptography.hazmat.primitives import keywrap

    padding = encryption.oaep(found.algorithm)
    try:
        if not found.algorithm.startswith("RSA_AES"):
            return bytes(found.wrapping.decrypt(wrapped, padding))
        size = found.wrapping.key_size // 8
        inner = found.wrapping.decrypt(wrapped[:size], padding)
        return keywrap.aes_key_unwrap_with_padding(inner, wrapped[size:])
    except (ValueError, keywrap.InvalidUnwrap) as error:
        raise AwsError("InvalidCiphertextException", "", 400) from error


def _is_next(key: Any, material: bytes, kind: str | None) -> bool:
    """Return whether material is for the next rotation of a key, not for now.

    Replicas take what their primary has pending, whatever the kind of their import.
    """
    if multi_region.is_replica(key):
        primary = multi_region.primary_of(key)
        return material == getattr(primary, "pending_material", None)
    if kind != "NEW_KEY_MATERIAL" or not getattr(key, "imported", False):
        return False
    if material in (key.key_material, *getattr(key, "past_materials", ())):
        raise materials.incorrect()
    return True


def _imported(call: Call, key: Any, model: str, valid_to: datetime | None) -> dict[str, Any]:
    key.imported, key.key_state, key.enabled = True, "Enabled", True
    key.expiration_model, key.valid_to = model, None
    if valid_to is not None and model == "KEY_MATERIAL_EXPIRES":
        ends = valid_to if valid_to.tzinfo else valid_to.replace(tzinfo=UTC)
        key.valid_to = ends.timestamp()

        def expired() -> None:
            # Unless the material was imported again with another end.
            if key.valid_to == ends.timestamp():
                _forget(key)

        timers().after((ends - call.now).total_seconds(), expired)
    return {"KeyId": key.arn}


def _pending(key: Any, material: bytes) -> Mapping[str, Any]:
    """Keep new material until the key is rotated on demand."""
    pending = getattr(key, "pending_material", None)
    new = keys.material_id(key, material)
    if pending not in (None, material):
        raise AwsError(
            "KMSInvalidStateException",
            f"New key material (id: {new}) cannot be imported into KMS key {key.arn}, because "
            f"another key material (id: {keys.material_id(key, pending)}) is pending rotation.",
            400,
        )
    key.pending_material = material
    return {"KeyId": key.arn, "KeyMaterialId": new}


def _forget(key: Any) -> None:
    key.expiration_model = key.valid_to = None
    if key.key_state not in keys.DELETION:
        key.key_state, key.enabled = "PendingImport", False


def _store(call: Call) -> _Store:
    return call.runtime.store("kms-imports", call.account, call.region, _Store)
