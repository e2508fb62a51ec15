"""Sets of related multi-Region keys: the primary, its replicas, and what they share.

https://docs.aws.amazon.com/kms/latest/developerguide/multi-region-keys-overview.html
"""

from __future__ import annotations

from typing import Any

from clusterwright_localaws.core import moto_state
from clusterwright_localaws.core.errors import AwsError


def is_replica(key: Any) -> bool:
    """Return whether a key is a replica of a key of another Region."""
    return bool(key.multi_region) and configuration(key)["PrimaryKey"]["Arn"] != key.arn


def not_primary(key: Any) -> AwsError:
    """Return the refusal of a key that is not, or no longer, the primary of its set."""
    return AwsError(
        "UnsupportedOperationException", f"{key.arn} is not a multi-region primary key.", 400
    )


def has_replicas(key: Any) -> bool:
    """Return whether a key is the primary of a set with replicas, which are deleted first."""
    return bool(key.multi_region and not is_replica(key) and configuration(key)["ReplicaKeys"])


def primary_of(key: Any) -> Any | None:
    """Return the primary of a multi-Region key; None if it was deleted."""
    return _in_region(key, configuration(key)["PrimaryKey"]["Region"])


def related(key: Any) -> list[Any]:
    """Return the keys that share the material of a key: itself, its primary and its replicas."""
    if not key.multi_region:
        return [key]
    shared = configuration(key)
    regions = [entry["Region"] for entry in (shared["PrimaryKey"], *shared["ReplicaKeys"])]
    return [found for region in regions if (found := _in_region(key, region)) is not None]


def forget(key: Any) -> None:
    """Take a deleted key out of the replicas that its set lists."""
    if is_replica(key):
        replicas = configuration(key)["ReplicaKeys"]
        replicas[:] = [entry for entry in replicas if entry["Arn"] != key.arn]


def configuration(key: Any) -> dict[str, Any]:
    """Return moto's MultiRegionConfiguration; all keys of a set have the same list of replicas."""
    found: dict[str, Any] = key.multi_region_configuration
    return found


def _in_region(key: Any, region: str) -> Any | None:
    return moto_state.backend("kms", key.account_id, region).keys.get(key.id)
