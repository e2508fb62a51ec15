"""Replicas of multi-Region keys; moto's share the description, aliases and state of the primary.

https://docs.aws.amazon.com/kms/latest/APIReference/API_ReplicateKey.html
https://docs.aws.amazon.com/kms/latest/developerguide/multi-region-keys-overview.html
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

from clusterwright_localaws.core import moto_state
from clusterwright_localaws.core.call import Call, operation
from clusterwright_localaws.core.errors import AwsError
from clusterwright_localaws.core.timers import timers
from clusterwright_localaws.services.kms import keys


@operation("kms", "ReplicateKey")
def replicate_key(call: Call) -> Mapping[str, Any]:
    primary, region = keys.key_of(call, aliases=False), str(call.parameters["ReplicaRegion"])
    if not primary.multi_region or _shared(primary)["PrimaryKey"]["Arn"] != primary.arn:
        raise AwsError(
            "UnsupportedOperationException",
            f"{primary.arn} is not a multi-region primary key.",
            400,
        )
    keys.check_state(primary)
    there = moto_state.backend("kms", call.account, region)
    if primary.id in there.keys:
        raise AwsError(
            "AlreadyExistsException",
            f"{there.keys[primary.id].arn} already exists.",
            400,
        )
    replica = _replica(call, primary, region)
    there.keys[replica.id] = replica
    tags = call.parameters.get("Tags") or []
    if tags:
        there.tagger.tag_resource(replica.id, tags)
    _shared(primary)["ReplicaKeys"].append({"Arn": replica.arn, "Region": region})

    def ready() -> None:
        if replica.key_state == "Creating":
            replica.key_state, replica.enabled = "Enabled", True

    timers().after(0, ready)
    return {
        "ReplicaKeyMetadata": replica.to_dict()["KeyMetadata"],
        "ReplicaPolicy": replica.policy,
        **({"ReplicaTags": tags} if tags else {}),
    }


def _replica(call: Call, primary: Any, region: str) -> Any:
    """Return a copy of a key for another Region: id, material and use are those of the primary."""
    replica = copy.copy(primary)
    replica.region = region
    replica.arn = primary.arn.replace(f":{call.region}:", f":{region}:")
    replica.description = call.parameters.get("Description") or ""
    replica.creation_date = call.now.timestamp()
    replica.key_state, replica.enabled = "Creating", False
    replica.grants, replica.aliases, replica.rotations = {}, {}, []
    replica.policy = call.parameters.get("Policy") or primary.generate_default_policy()
    # The list of replicas and the primary are those of all keys with this id.
    replica.multi_region_configuration = {**_shared(primary), "MultiRegionKeyType": "REPLICA"}
    return replica


def _shared(key: Any) -> dict[str, Any]:
    found: dict[str, Any] = key.multi_region_configuration
    return found
