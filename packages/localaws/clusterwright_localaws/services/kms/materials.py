"""Imported key material: whether it fits the spec of its key, and is the same as before.

https://docs.aws.amazon.com/kms/latest/developerguide/importing-keys-conceptual.html
"""

from __future__ import annotations

from typing import Any, Final

from clusterwright_localaws.core.errors import AwsError
from clusterwright_localaws.services.kms import keys

# "256-bits (32 bytes) of binary data"; in Regions in China 16.
_SYMMETRIC_BYTES: Final = 32
# "at least the same length specified by the key spec. The maximum key length is 1024-bits."
_MOST_HMAC_BYTES: Final = 128


def parse(key: Any, material: bytes) -> Any:
    """Return material that fits the spec of a key: bytes, or a private key from its PKCS #8.

    Raises
    ------
    AwsError
        IncorrectKeyMaterialException.
    """
    if key.key_spec == keys.SYMMETRIC:
        fits = len(material) == _SYMMETRIC_BYTES
        found: Any = material
    elif _is_hmac(key):
        least = int(key.key_spec.removeprefix("HMAC_")) // 8
        fits = least <= len(material) <= _MOST_HMAC_BYTES
        found = material
    else:
        found = _private_key(material)
        # moto's key has a private key of its spec from the beginning.
        fits = _kind(found) == _kind(key.private_key.private_key)
    if not fits:
        raise incorrect()
    return found


def keep(key: Any, material: Any) -> None:
    """Give a key material that `parse` returned."""
    if isinstance(material, bytes):
        key.key_material = material
    else:
        key.private_key.private_key = material


def is_current(key: Any, material: Any) -> bool:
    """Return whether a key has the material that `parse` returned."""
    if isinstance(material, bytes):
        return bool(key.key_material == material)
    current = key.private_key.private_key
    return bool(current.private_numbers() == material.private_numbers())


def incorrect() -> AwsError:
    """Return the refusal of material that does not meet expectations."""
    return AwsError("IncorrectKeyMaterialException", "", 400)


def _is_hmac(key: Any) -> bool:
    return bool(key.key_spec.startswith("HMAC"))


def _private_key(material: bytes) -> Any:
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives.serialization import load_der_private_key

    try:
        return load_der_private_key(material, None)
    except (ValueError, TypeError, UnsupportedAlgorithm) as error:
        raise incorrect() from error


def _kind(private: Any) -> tuple[str, object]:
    """Return the type of a private key, and its size in bits or its curve."""
    from cryptography.hazmat.primitives.asymmetric import ec, rsa

    if isinstance(private, rsa.RSAPrivateKey):
        return "RSA", private.key_size
    if isinstance(private, ec.EllipticCurvePrivateKey):
        return "ECC", private.curve.name
    return type(private).__name__, None
