"""moto uses keys in every state, and leaves defaults out of a key's description.

Key states: https://docs.aws.amazon.com/kms/latest/developerguide/key-state.html
"""

from __future__ import annotations

from typing import Any

from clusterwright_localaws.core.runtime import runtime

MOTO_VERSION = "5.2.5"
DESCRIPTION = (
    "KMS: a disabled key is not used (DisabledException), nor one pending deletion "
    "(KMSInvalidStateException), nor one for another use (InvalidKeyUsageException); a new "
    "key's use and MultiRegion have their defaults"
)
# Operations that use a key, by moto's names, and the use that the key must have; the key is the
# first argument.
_USES = {
    "encrypt": "ENCRYPT_DECRYPT",
    "generate_data_key": "ENCRYPT_DECRYPT",
    "sign": "SIGN_VERIFY",
    "verify": "SIGN_VERIFY",
}


def apply() -> None:
    from moto.kms.models import Key, KmsBackend

    for name, usage in _USES.items():
        setattr(KmsBackend, name, _refusing(getattr(KmsBackend, name), usage))
    describe = Key.to_dict

    def to_dict(self: Any) -> Any:
        found = describe(self)
        found["KeyMetadata"]["KeyUsage"] = found["KeyMetadata"]["KeyUsage"] or "ENCRYPT_DECRYPT"
        found["KeyMetadata"]["MultiRegion"] = bool(found["KeyMetadata"]["MultiRegion"])
        return found

    Key.to_dict = to_dict  # type: ignore[method-assign]


def _refusing(in_moto: Any, usage: str) -> Any:
    def call(self: Any, key_id: str, *arguments: Any, **named: Any) -> Any:
        if runtime().active:
            from moto.core.exceptions import JsonRESTError

            key = self.keys.get(self.any_id_to_key_id(key_id))
            state = key.key_state if key is not None else "Enabled"
            if state == "Disabled":
                raise JsonRESTError("DisabledException", f"{key.arn} is disabled.")
            if state == "PendingDeletion":
                raise JsonRESTError("KMSInvalidStateException", f"{key.arn} is pending deletion.")
            if key is not None and (key.key_usage or "ENCRYPT_DECRYPT") != usage:
                raise JsonRESTError(
                    "InvalidKeyUsageException",
                    f"{key.arn} key usage is {key.key_usage} which is not valid for this "
                    "operation.",
                )
        return in_moto(self, key_id, *arguments, **named)

    return call
