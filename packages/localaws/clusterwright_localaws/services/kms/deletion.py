"""Scheduled deletion of KMS keys: the waiting period and the answers; moto keeps the keys.

https://docs.aws.amazon.com/kms/latest/APIReference/API_ScheduleKeyDeletion.html
https://docs.aws.amazon.com/kms/latest/APIReference/API_CancelKeyDeletion.html
https://docs.aws.amazon.com/kms/latest/developerguide/multi-region-keys-delete.html
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from clusterwright_localaws.core import moto_state
from clusterwright_localaws.core.call import Call, operation
from clusterwright_localaws.core.errors import AwsError, ForwardToMoto
from clusterwright_localaws.services.kms import keys, multi_region

_DAYS = range(7, 31)
_DEFAULT_DAYS = 30


@operation("kms", "ScheduleKeyDeletion")
def schedule_key_deletion(call: Call) -> Mapping[str, Any]:
    kms, key = _key(call)
    days = int(call.parameters.get("PendingWindowInDays") or _DEFAULT_DAYS)
    if days not in _DAYS:
        raise AwsError(
            "ValidationException",
            f"PendingWindowInDays must be between {_DAYS[0]} and {_DAYS[-1]}",
            400,
        )
    answer = {"KeyId": key.arn, "PendingWindowInDays": days}
    if multi_region.has_replicas(key):
        # The waiting period begins when the last replica is deleted.
        key.enabled, key.key_state, key.window_days = False, "PendingReplicaDeletion", days
        return {**answer, "KeyState": key.key_state}
    date = kms.schedule_key_deletion(key.id, days)
    return {**answer, "DeletionDate": date, "KeyState": key.key_state}


@operation("kms", "CancelKeyDeletion")
def cancel_key_deletion(call: Call) -> Mapping[str, Any]:
    kms, key = _key(call)
    kms.cancel_key_deletion(key.id)
    if keys.lacks_material(key):
        key.key_state = "PendingImport"
    return {"KeyId": key.arn}


def _key(call: Call) -> tuple[Any, Any]:
    """Return moto's backend and its key of a request.

    Raises
    ------
    ForwardToMoto
        There is no such key: moto answers NotFoundException.
    """
    kms = moto_state.backend("kms", call.account, call.region)
    key = kms.keys.get(kms.get_key_id(call.parameters["KeyId"]))
    if key is None:
        raise ForwardToMoto
    return kms, key
