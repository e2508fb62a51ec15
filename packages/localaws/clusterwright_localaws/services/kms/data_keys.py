"""GenerateDataKey: random bytes, and the same under a symmetric key of KMS.

https://docs.aws.amazon.com/kms/latest/APIReference/API_GenerateDataKey.html
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, Final

from clusterwright_localaws.core.call import Call, operation
from clusterwright_localaws.core.errors import AwsError
from clusterwright_localaws.services.kms import encryption, keys

_SPEC_BYTES: Final = {"AES_128": 16, "AES_256": 32}


@operation("kms", "GenerateDataKey")
def generate_data_key(call: Call) -> Mapping[str, Any]:
    spec, count = (call.parameters.get(name) for name in ("KeySpec", "NumberOfBytes"))
    if (spec is None) == (count is None):
        raise AwsError(
            "ValidationException", "Please specify either number of bytes or key spec.", 400
        )
    key = keys.key_of(call)
    keys.check_use(key, "ENCRYPT_DECRYPT", call.operation)
    keys.check_algorithm(key, keys.SYMMETRIC, keys.algorithms_of(key)["EncryptionAlgorithms"])
    keys.end_dry_run(call)
    plain = os.urandom(_SPEC_BYTES[spec] if spec else int(str(count)))
    context = call.parameters.get("EncryptionContext") or {}
    return {
        "KeyId": key.arn,
        "CiphertextBlob": encryption.seal(key, keys.SYMMETRIC, plain, context),
        "Plaintext": plain,
        "KeyMaterialId": keys.material_id(key, key.key_material),
    }


@operation("kms", "GenerateDataKeyWithoutPlaintext")
def generate_data_key_without_plaintext(call: Call) -> Mapping[str, Any]:
    answer = dict(generate_data_key(call))
    del answer["Plaintext"]
    return answer
