"""RegisterComputeNodeGroupInstance, which the PCS agent of an instance calls.

The caller is the session of the instance's role, whose name is the instance's id, as EC2 names
it. Refusals: API model (botocore 1.44.5), AccessDeniedException.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from clusterwright_localaws.core.call import Call, operation
from clusterwright_localaws.core.errors import AwsError
from clusterwright_localaws.iam.inside import acting_as
from clusterwright_localaws.services.pcs import controller, fleet
from clusterwright_localaws.services.pcs.state import find_cluster, store_of


@operation("pcs", "RegisterComputeNodeGroupInstance")
def register(call: Call) -> Mapping[str, Any]:
    with acting_as(None):  # PCS looks up the instance and reads the secret itself
        return _registered(call)


def _registered(call: Call) -> Mapping[str, Any]:
    store = store_of(call)
    named = str(call.parameters["clusterIdentifier"])
    cluster = find_cluster(store, named)
    if cluster is None:
        raise _denied(f"The cluster {named} does not exist.")
    found = fleet.node_of(store, cluster, call.session_name)
    if found is None or cluster.address is None:
        raise _denied(
            f"The EC2 instance isn't present in the cluster {cluster.name}: the caller is "
            f"{call.session_name or 'no instance'}."
        )
    group, node = found
    node.bootstrap_id = str(call.parameters["bootstrapId"])
    answer: dict[str, Any] = {
        "nodeID": f"{group.name}-{node.number}",
        "sharedSecret": controller.shared_secret(store, cluster),
        "endpoints": cluster.view()["endpoints"],
        "clusterName": cluster.name,
        "computeNodeGroupId": group.id,
        "computeNodeGroupName": group.name,
        "schedulerVersion": cluster.version,
    }
    actions = group.view().get("nodeLifecycleActions")
    return {**answer, **({"nodeLifecycleActions": actions} if actions else {})}


def _denied(message: str) -> AwsError:
    return AwsError("AccessDeniedException", message)
