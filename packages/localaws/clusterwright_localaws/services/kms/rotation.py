"""Automatic and on-demand rotation of KMS keys; moto keeps whether it is enabled.

https://docs.aws.amazon.com/kms/latest/APIReference/API_EnableKeyRotation.html
https://docs.aws.amazon.com/kms/latest/APIReference/API_GetKeyRotationStatus.html
https://docs.aws.amazon.com/kms/latest/APIReference/API_RotateKeyOnDemand.html

A rotation on demand gives a key new material at once; an automatic one that is due has no effect.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from clusterwright_localaws.core import moto_state
from clusterwright_localaws.core.call import Call, operation
from clusterwright_localaws.core.errors import AwsError, ForwardToMoto
from clusterwright_localaws.services.kms import keys, multi_region

DEFAULT_DAYS = 365
# "a maximum of 25 times per KMS key": API_RotateKeyOnDemand.
_MOST_ON_DEMAND = 25


@dataclass
class _Rotation:
    """The period of one key, and since when it is enabled."""

    days: int
    since: datetime

    def next_date(self, now: datetime) -> datetime:
        """Return the date of the first rotation after `now`."""
        period = timedelta(days=self.days)
        return self.since + period * ((now - self.since) // period + 1)


@dataclass
class _Store:
    by_key: dict[str, _Rotation] = field(default_factory=dict)


@operation("kms", "EnableKeyRotation")
def enable_key_rotation(call: Call) -> Mapping[str, Any]:
    key = _key(call)
    _refuse_unless_usable(key)
    days = int(call.parameters.get("RotationPeriodInDays") or DEFAULT_DAYS)
    _store(call).by_key[key.id] = _Rotation(days, call.now)
    for each in multi_region.related(key):
        each.key_rotation_status = True
    return {}


@operation("kms", "DisableKeyRotation")
def disable_key_rotation(call: Call) -> Mapping[str, Any]:
    key = _key(call)
    _refuse_unless_usable(key)
    _store(call).by_key.pop(key.id, None)
    for each in multi_region.related(key):
        each.key_rotation_status = False
    return {}


@operation("kms", "GetKeyRotationStatus")
def get_key_rotation_status(call: Call) -> Mapping[str, Any]:
    key = _key(call)
    answer: dict[str, Any] = {"KeyId": key.arn, "KeyRotationEnabled": False}
    if key.key_rotation_status:
        region = call.region
        if multi_region.is_replica(key):
            region = multi_region.configuration(key)["PrimaryKey"]["Region"]
        found = _store(call, region).by_key.get(key.id) or _Rotation(DEFAULT_DAYS, call.now)
        # While a key waits for its deletion, it is not rotated.
        answer["KeyRotationEnabled"] = key.key_state not in keys.DELETION
        answer["RotationPeriodInDays"] = found.days
        answer["NextRotationDate"] = found.next_date(call.now)
    return answer


@operation("kms", "RotateKeyOnDemand")
def rotate_key_on_demand(call: Call) -> Mapping[str, Any]:
    key = keys.key_of(call, aliases=False)
    if key.key_spec != keys.SYMMETRIC or key.origin not in ("AWS_KMS", "EXTERNAL"):
        raise AwsError("UnsupportedOperationException", "", 400)
    if multi_region.is_replica(key):
        raise multi_region.not_primary(key)
    related = multi_region.related(key)
    past: list[bytes] = getattr(key, "past_materials", [])
    if len(past) >= _MOST_ON_DEMAND:
        raise AwsError(
            "LimitExceededException",
            "The on-demand rotations limit has been reached for the given keyId. No more "
            f"on-demand rotations can be performed for this key: {key.arn}",
            400,
        )
    new = os.urandom(len(key.key_material))
    if key.origin == "EXTERNAL":
        new = getattr(key, "pending_material", None) or b""
        # "import the same key material in each replica Region key"
        if not new or any(getattr(each, "pending_material", None) != new for each in related):
            raise AwsError(
                "KMSInvalidStateException",
                f"No available key material pending rotation for the key: {key.arn}.",
                400,
            )
    before = [key.key_material, *past]
    for each in related:
        each.pending_material, each.past_materials, each.key_material = None, before, new
        moto_state.backend("kms", each.account_id, each.region).rotate_key_on_demand(each.id)
    return {"KeyId": key.arn}


def _key(call: Call) -> Any:
    """Return moto's key of the id or ARN of a request.

    Raises
    ------
    ForwardToMoto
        There is none: moto answers NotFoundException.
    """
    kms = moto_state.backend("kms", call.account, call.region)
    key = kms.keys.get(kms.get_key_id(call.parameters["KeyId"]))
    if key is None:
        raise ForwardToMoto
    return key


def _refuse_unless_usable(key: Any) -> None:
    if key.key_spec != keys.SYMMETRIC:
        raise AwsError("UnsupportedOperationException", "", 400)
    if key.origin != "AWS_KMS":
        raise AwsError(
            "UnsupportedOperationException",
            f"{key.arn} origin is {key.origin} which is not valid for this operation.",
            400,
        )
    if multi_region.is_replica(key):
        raise multi_region.not_primary(key)


def move(call: Call, key: Any, region: str) -> None:
    """Keep the settings of a key in another Region, that of its new primary."""
    found = _store(call).by_key.pop(key.id, None)
    if found is not None:
        _store(call, region).by_key[key.id] = found


def _store(call: Call, region: str = "") -> _Store:
    return call.runtime.store("kms-rotation", call.account, region or call.region, _Store)
