"""Sign and Verify of messages and digests, MACs, and shared secrets.

https://docs.aws.amazon.com/kms/latest/APIReference/API_Sign.html
https://docs.aws.amazon.com/kms/latest/APIReference/API_GenerateMac.html
https://docs.aws.amazon.com/kms/latest/APIReference/API_DeriveSharedSecret.html
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Mapping
from typing import Any

from clusterwright_localaws.core.call import Call, operation
from clusterwright_localaws.core.errors import AwsError
from clusterwright_localaws.services.kms import keys


@operation("kms", "Sign")
def sign(call: Call) -> Mapping[str, Any]:
    key, algorithm = _signing(call)
    message, scheme = _scheme(call, key, algorithm)
    keys.end_dry_run(call)
    signature = key.private_key.private_key.sign(message, *scheme)
    return {"KeyId": key.arn, "Signature": signature, "SigningAlgorithm": algorithm}


@operation("kms", "Verify")
def verify(call: Call) -> Mapping[str, Any]:
    from cryptography.exceptions import InvalidSignature

    key, algorithm = _signing(call)
    message, scheme = _scheme(call, key, algorithm)
    public = key.private_key.private_key.public_key()
    try:
        public.verify(call.parameters["Signature"], message, *scheme)
    except InvalidSignature as error:
        raise AwsError("KMSInvalidSignatureException", "", 400) from error
    keys.end_dry_run(call)
    return {"KeyId": key.arn, "SignatureValid": True, "SigningAlgorithm": algorithm}


@operation("kms", "GenerateMac")
def generate_mac(call: Call) -> Mapping[str, Any]:
    key, mac = _mac(call)
    keys.end_dry_run(call)
    return {"KeyId": key.arn, "Mac": mac, "MacAlgorithm": call.parameters["MacAlgorithm"]}


@operation("kms", "VerifyMac")
def verify_mac(call: Call) -> Mapping[str, Any]:
    key, mac = _mac(call)
    if not hmac.compare_digest(mac, call.parameters["Mac"]):
        raise AwsError("KMSInvalidMacException", "", 400)
    keys.end_dry_run(call)
    return {"KeyId": key.arn, "MacValid": True, "MacAlgorithm": call.parameters["MacAlgorithm"]}


@operation("kms", "DeriveSharedSecret")
def derive_shared_secret(call: Call) -> Mapping[str, Any]:
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.hazmat.primitives.serialization import load_der_public_key

    key = keys.key_of(call)
    keys.check_use(key, "KEY_AGREEMENT", call.operation)
    try:
        theirs = load_der_public_key(call.parameters["PublicKey"])
        secret = key.private_key.private_key.exchange(ec.ECDH(), theirs)
    except (ValueError, TypeError, UnsupportedAlgorithm) as error:
        raise AwsError("ValidationException", "", 400) from error
    keys.end_dry_run(call)
    return {
        "KeyId": key.arn,
        "SharedSecret": secret,
        "KeyAgreementAlgorithm": call.parameters["KeyAgreementAlgorithm"],
        "KeyOrigin": key.origin,
    }


def _signing(call: Call) -> tuple[Any, str]:
    key, algorithm = keys.key_of(call), str(call.parameters["SigningAlgorithm"])
    keys.check_use(key, "SIGN_VERIFY", call.operation)
    keys.check_algorithm(key, algorithm, keys.algorithms_of(key)["SigningAlgorithms"])
    return key, algorithm


def _scheme(call: Call, key: Any, algorithm: str) -> tuple[bytes, tuple[Any, ...]]:
    """Return what is signed, and the rest of `cryptography`'s arguments.

    The salt of PSS is as long as the digest.
    """
    from cryptography.hazmat.primitives import hashes
    from cryptography.hazmat.primitives.asymmetric import ec, padding, utils

    message: bytes = call.parameters["Message"]
    digest = getattr(hashes, f"SHA{algorithm[-3:]}")()
    hashed: Any = digest
    if call.parameters.get("MessageType") == "DIGEST":
        if len(message) != digest.digest_size:
            raise AwsError(
                "ValidationException", f"Digest is invalid length for algorithm {algorithm}.", 400
            )
        hashed = utils.Prehashed(digest)
    if key.key_spec.startswith("ECC"):
        return message, (ec.ECDSA(hashed),)
    if "PSS" in algorithm:
        return message, (padding.PSS(padding.MGF1(digest), padding.PSS.DIGEST_LENGTH), hashed)
    return message, (padding.PKCS1v15(), hashed)


def _mac(call: Call) -> tuple[Any, bytes]:
    key, algorithm = keys.key_of(call), str(call.parameters["MacAlgorithm"])
    keys.check_use(key, "GENERATE_VERIFY_MAC", call.operation)
    keys.check_algorithm(key, algorithm, keys.algorithms_of(key)["MacAlgorithms"])
    name = algorithm.replace("HMAC_SHA_", "sha")
    return key, hmac.digest(key.key_material, call.parameters["Message"], getattr(hashlib, name))
