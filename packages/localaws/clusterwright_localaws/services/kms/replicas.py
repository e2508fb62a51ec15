"""Replicas of multi-Region keys; moto's share the description, aliases and state of the primary.

https://docs.aws.amazon.com/kms/latest/APIReference/API_ReplicateKey.html
https://docs.aws.amazon.com/kms/latest/APIReference/API_UpdatePrimaryRegion.html
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
from clusterwright_localaws.services.kms import keys, multi_region, rotation
from clusterwright_localaws.services.kms.lockout import check_lockout
from clusterwright_localaws.services.kms.requests import check_tags


@operation("kms", "ReplicateKey")
def replicate_key(call: Call) -> Mapping[str, Any]:
    primary, region = keys.key_of(call, aliases=False), str(call.parameters["ReplicaRegion"])
    tags = call.parameters.get("Tags") or []
    check_tags(tags)
    if not primary.multi_region or multi_region.is_replica(primary):
        raise multi_region.not_primary(primary)
    check_lockout(call)
    there = moto_state.backend("kms", call.account, region)
    if primary.id in there.keys:
        raise AwsError(
            "AlreadyExistsException",
            f"{there.keys[primary.id].arn} already exists.",
            400,
        )
    replica = _replica(call, primary, region)
    there.keys[replica.id] = replica
    if tags:
        there.tagger.tag_resource(replica.id, tags)
    replicas = multi_region.configuration(primary)["ReplicaKeys"]
    replicas.append({"Arn": replica.arn, "Region": region})

    def ready() -> None:
        if replica.key_state == "Creating":
            replica.enabled = not keys.lacks_material(replica)
            replica.key_state = "Enabled" if replica.enabled else "PendingImport"

    timers().after(0, ready)
    return {
        "ReplicaKeyMetadata": replica.to_dict()["KeyMetadata"],
        "ReplicaPolicy": replica.policy,
        **({"ReplicaTags": tags} if tags else {}),
    }


@operation("kms", "UpdatePrimaryRegion")
def update_primary_region(call: Call) -> Mapping[str, Any]:
    primary, region = keys.key_of(call, aliases=False), str(call.parameters["PrimaryRegion"])
    if not primary.multi_region or multi_region.is_replica(primary):
        raise multi_region.not_primary(primary)
    arn = primary.arn.replace(f":{call.region}:", f":{region}:")
    there = moto_state.backend("kms", call.account, region).keys.get(primary.id)
    if there is None or there is primary:
        raise AwsError("NotFoundException", f"Key '{arn}' does not exist", 400)
    shared = multi_region.configuration(primary)
    replicas = [one for one in shared["ReplicaKeys"] if one["Arn"] != arn]
    # All keys of the set have these two.
    shared["ReplicaKeys"][:] = [*replicas, dict(shared["PrimaryKey"])]
    shared["PrimaryKey"].update(Arn=arn, Region=region)
    rotation.move(call, primary, region)
    for key, kind in ((primary, "REPLICA"), (there, "PRIMARY")):
        multi_region.configuration(key)["MultiRegionKeyType"] = kind
        _update(key)
    return {}


def _update(key: Any) -> None:
    """Show a key as being updated until the next call."""
    before, key.key_state = key.key_state, keys.UPDATING

    def updated() -> None:
        if key.key_state == keys.UPDATING:
            key.key_state = before

    timers().after(0, updated)


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
    # "created with no key material": it is imported again, and is the same.
    replica.imported = False
    replica.expiration_model = replica.valid_to = replica.pending_material = None
    # The list of replicas and the primary are those of all keys with this id.
    shared = multi_region.configuration(primary)
    replica.multi_region_configuration = {**shared, "MultiRegionKeyType": "REPLICA"}
    return replica
