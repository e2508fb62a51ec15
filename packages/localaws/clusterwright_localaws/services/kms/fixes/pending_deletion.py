"""moto never deletes keys that are pending deletion.

Key states: https://docs.aws.amazon.com/kms/latest/developerguide/key-state.html
"""

from __future__ import annotations

from typing import Any

from clusterwright_localaws.core import moto_state
from clusterwright_localaws.core.runtime import runtime
from clusterwright_localaws.core.timers import timers
from clusterwright_localaws.services.kms import multi_region

MOTO_VERSION = "5.2.5"
DESCRIPTION = "KMS: a key is deleted with its aliases and tags after the waiting period"
_DAY_S = 86_400


def apply() -> None:
    from moto.kms.models import KmsBackend

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
                    begin_waiting(multi_region.primary_of(key) if key.multi_region else None)

            timers().after(pending_window_in_days * _DAY_S, gone)
        return date

    def begin_waiting(primary: Any | None) -> None:
        """Begin the waiting period of a primary whose last replica was deleted."""
        if primary is None or primary.key_state != "PendingReplicaDeletion":
            return
        if not multi_region.has_replicas(primary):
            kms = moto_state.backend("kms", primary.account_id, primary.region)
            kms.schedule_key_deletion(primary.id, primary.window_days)

    KmsBackend.schedule_key_deletion = schedule_key_deletion  # type: ignore[method-assign]
