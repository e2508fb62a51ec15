"""moto describes keys with lists of algorithms of other uses, and without their material.

https://docs.aws.amazon.com/kms/latest/APIReference/API_KeyMetadata.html
https://docs.aws.amazon.com/kms/latest/developerguide/importing-keys.html
"""

from __future__ import annotations

import uuid
from typing import Any

from clusterwright_localaws.core.runtime import runtime
from clusterwright_localaws.services.kms import keys

MOTO_VERSION = "5.2.5"
DESCRIPTION = (
    "KMS: a key lists the algorithms of its use and spec only, and names its current material; "
    "a key for imported material begins as PendingImport; ids of multi-Region keys are mrk- and "
    "32 hexadecimal digits"
)
_LISTS = ("EncryptionAlgorithms", "SigningAlgorithms")


def apply() -> None:
    from moto.kms import models

    create = models.Key.__init__
    describe = models.Key.to_dict
    name = models.generate_key_id

    def __init__(self: Any, *arguments: Any, **named: Any) -> None:  # noqa: N807
        create(self, *arguments, **named)
        if runtime().active and self.origin == "EXTERNAL":
            self.key_state, self.enabled = "PendingImport", False

    def to_dict(self: Any) -> Any:
        found = describe(self)
        if runtime().active:
            metadata = found["KeyMetadata"]
            for each in _LISTS:
                del metadata[each]
            metadata |= keys.algorithms_of(self) | _present(self)
        return found

    def generate_key_id(multi_region: bool = False) -> str:
        if multi_region and runtime().active:
            return f"mrk-{uuid.UUID(name()).hex}"
        return str(name(multi_region))

    models.Key.__init__ = __init__  # type: ignore[method-assign]
    models.Key.to_dict = to_dict  # type: ignore[method-assign]
    models.generate_key_id = generate_key_id


def _present(key: Any) -> dict[str, Any]:
    """Return the members that depend on the state and the material of a key."""
    found: dict[str, Any] = {}
    if key.key_state == "PendingReplicaDeletion":
        found["PendingDeletionWindowInDays"] = key.window_days
    if key.key_spec == keys.SYMMETRIC and keys.has_material(key) and key.key_state != "Creating":
        found["CurrentKeyMaterialId"] = keys.material_id(key, key.key_material)
    if getattr(key, "expiration_model", None):
        found["ExpirationModel"] = key.expiration_model
    if getattr(key, "valid_to", None):
        found["ValidTo"] = key.valid_to
    return found
