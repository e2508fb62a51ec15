"""moto never deletes keys that are pending deletion, and allows changes to them.

Key states: https://docs.aws.amazon.com/kms/latest/developerguide/key-state.html
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from clusterwright_localaws.core.runtime import runtime
from clusterwright_localaws.core.timers import timers
from clusterwright_localaws.services.kms import keys, multi_region

MOTO_VERSION = "5.2.5"
DESCRIPTION = (
    "KMS: a key is deleted with its aliases and tags after the waiting period; a key pending "
    "deletion refuses changes with KMSInvalidStateException, and one pending import to be enabled "
    "or disabled"
)
_DAY_S = 86_400
# Operations that a key pending deletion refuses, by moto's names; the key is the first argument.
_REFUSED = (
    "disable_key",
    "disable_key_rotation",
    "enable_key",
    "enable_key_rotation",
    "schedule_key_deletion",
    "update_key_description",
)
_STATES = dict.fromkeys(("disable_key", "enable_key"), ("PendingDeletion", "PendingImport"))


def apply() -> None:
    from moto.kms.models import KmsBackend

    for name in _REFUSED:
        states = _STATES.get(name, ("PendingDeletion",))
        setattr(KmsBackend, name, _refusing(getattr(KmsBackend, name), states))
    schedule = KmsBackend.schedule_key_deletion

    def schedule_key_deletion(self: Any, key_id: str, pending_window_in_days: int) -> Any:
        date = schedule(self, key_id, pending_window_in_days)
        key = self.keys.get(self.get_key_id(key_id))
        if runtime().active and key is not None:
            planned = key.deletion_date

            def gone() -> None:
                # Unless the deletion was cancelled, or scheduled again with another date.
                if key.key_state == "PendingDeletion" and key.deletion_date == planned:
                    self.delete_key(key.id)
                    multi_region.forget(key)

            timers().after(pending_window_in_days * _DAY_S, gone)
        return date

    KmsBackend.schedule_key_deletion = schedule_key_deletion  # type: ignore[method-assign]


def _refusing(in_moto: Any, states: Collection[str]) -> Any:
    def call(self: Any, key_id: str, *arguments: Any, **named: Any) -> Any:
        key = self.keys.get(self.get_key_id(key_id))
        if runtime().active and key is not None and key.key_state in states:
            keys.check_state(key)
        return in_moto(self, self.get_key_id(key_id), *arguments, **named)

    return call
