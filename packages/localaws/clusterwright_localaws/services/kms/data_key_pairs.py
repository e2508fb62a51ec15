"""Pairs of data keys: GenerateDataKeyPair, with the private key under a key of KMS.

https://docs.aws.amazon.com/kms/latest/APIReference/API_GenerateDataKeyPair.html
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from clusterwright_localaws.core.call import Call, operation
from clusterwright_localaws.core.errors import AwsError
from clusterwright_localaws.services.kms import encryption, keys


@operation("kms", "GenerateDataKeyPair")
def generate_data_key_pair(call: Call) -> Mapping[str, Any]:
    from cryptography.hazmat.primitives import serialization

    key = keys.key_of(call)
    keys.check_use(key, "ENCRYPT_DECRYPT", call.operation)
    if key.key_spec != keys.SYMMETRIC:
        raise AwsError("InvalidKeyUsageException", "", 400)
    keys.end_dry_run(call)
    spec = str(call.parameters["KeyPairSpec"])
    private = _private_key(spec)
    plain = private.private_bytes(
        serialization.Encoding.DER,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    public = private.public_key().public_bytes(
        serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo
    )
    context = call.parameters.get("EncryptionContext") or {}
    return {
        "KeyId": key.arn,
        "KeyPairSpec": spec,
        "PrivateKeyCiphertextBlob": encryption.seal(key, keys.SYMMETRIC, plain, context),
        "PrivateKeyPlaintext": plain,
        "PublicKey": public,
    }


@operation("kms", "GenerateDataKeyPairWithoutPlaintext")
def generate_data_key_pair_without_plaintext(call: Call) -> Mapping[str, Any]:
    answer = dict(generate_data_key_pair(call))
    del answer["PrivateKeyPlaintext"]
    return answer


def _private_key(spec: str) -> Any:
    """Return a new private key of a spec; moto makes those that its keys have."""
    from moto.kms import utils

    if spec not in utils.KeySpec.rsa_key_specs() + utils.KeySpec.ecc_key_specs():
        raise AwsError(
            "UnsupportedOperationException", f"the local AWS makes no pairs of {spec}", 400
        )
    return utils.generate_private_key(spec).private_key  # type: ignore[attr-defined]
