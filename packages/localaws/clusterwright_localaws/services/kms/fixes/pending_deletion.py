"""moto never deletes keys that are pending deletion, and allows changes to them.

Key states: https://docs.aws.amazon.com/kms/latest/developerguide/key-state.html
"""

from __future__ import annotations

from typing import Any

from clusterwright_localaws.core.runtime import runtime
from clusterwright_localaws.core.timers import timers

MOTO_VERSION = "5.2.5"
DESCRIPTION = (
    "KMS: a key is deleted with its aliases after the waiting period; a key pending "
    "deletion refuses changes with KMSInvalidStateException"
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


def apply() -> None:
    from moto.kms.models import KmsBackend

    for name in _REFUSED:
        setattr(KmsBackend, name, _refusing(getattr(KmsBackend, name)))
    schedule = KmsBackend.schedule_key_deletion

    def schedule_key_deletion(self: Any, key_id: str, pending_window_in_days: int) -> Any:
        date = schedule(self, key_id, pending_window_in_days)
        key = self.keys.get(self.get_key_id(key_id))
        if runtime().active and key is not None:
            planned = key.deletion_date

            def gone() -> None:
                # Unless the deletion was cancelled, or scheduled again with another date.
                if key.key_state == "PendingDeletion" and key.deletion_date == planned:
                    self.keys.pop(key.id, None)

            timers().after(pending_window_in_days * _DAY_S, gone)
        return date

    KmsBackend.schedule_key_deletion = schedule_key_deletion  # type: ignore[method-assign]


def _refusing(in_moto: Any) -> Any:
    def call(self: Any, key_id: str, *arguments: Any, **named: Any) -> Any:
        key = self.keys.get(self.get_key_id(key_id))
        if runtime().active and key is not None and key.key_state == "PendingDeletion":
            from moto.core.exceptions import JsonRESTError

            raise JsonRESTError("KMSInvalidStateException", f"{key.arn} is pending deletion.")
        return in_moto(self, self.get_key_id(key_id), *arguments, **named)

    return call
