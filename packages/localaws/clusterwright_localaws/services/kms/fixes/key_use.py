"""moto uses keys in every state, and leaves defaults out of a key's description.

Key states: https://docs.aws.amazon.com/kms/latest/developerguide/key-state.html
"""

from __future__ import annotations

from typing import Any

from clusterwright_localaws.core.runtime import runtime

MOTO_VERSION = "5.2.5"
DESCRIPTION = (
    "KMS: a disabled key is not used (DisabledException), nor one pending deletion "
    "(KMSInvalidStateException); a new key's use and MultiRegion have their defaults"
)
# Operations that use a key, by moto's names; the key is the first argument.
_USES = ("encrypt", "generate_data_key", "sign", "verify")


def apply() -> None:
    from moto.kms.models import Key, KmsBackend

    for name in _USES:
        setattr(KmsBackend, name, _refusing(getattr(KmsBackend, name)))
    describe = Key.to_dict

    def to_dict(self: Any) -> Any:
        found = describe(self)
        found["KeyMetadata"]["KeyUsage"] = found["KeyMetadata"]["KeyUsage"] or "ENCRYPT_DECRYPT"
        found["KeyMetadata"]["MultiRegion"] = bool(found["KeyMetadata"]["MultiRegion"])
        return found

    Key.to_dict = to_dict  # type: ignore[method-assign]


def _refusing(in_moto: Any) -> Any:
    def call(self: Any, key_id: str, *arguments: Any, **named: Any) -> Any:
        if runtime().active:
            from moto.core.exceptions import JsonRESTError

            key = self.keys.get(self.any_id_to_key_id(key_id))
            state = key.key_state if key is not None else "Enabled"
            if state == "Disabled":
                raise JsonRESTError("DisabledException", f"{key.arn} is disabled.")
            if state == "PendingDeletion":
                raise JsonRESTError("KMSInvalidStateException", f"{key.arn} is pending deletion.")
        return in_moto(self, key_id, *arguments, **named)

    return call
