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
from clusterwright_localaws.services.kms import keys, multi_region
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
