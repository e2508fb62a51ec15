"""Instances of node groups that somebody terminates: their Auto Scaling group launches others.

https://docs.aws.amazon.com/autoscaling/ec2/userguide/ec2-auto-scaling-health-checks.html
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from clusterwright_localaws.core.call import Call, operation
from clusterwright_localaws.core.errors import ForwardToMoto
from clusterwright_localaws.services.eks.fleet import Fleet
from clusterwright_localaws.services.eks.state import ChildResource, Store


@operation("ec2", "TerminateInstances")
def terminate_instances(call: Call) -> Mapping[str, Any]:
    """moto terminates them; their groups are at their desired size after a node group's delay."""
    ids = set(call.parameters["InstanceIds"])
    for account, region, store in call.runtime.stores("eks"):
        if (account, region) != (call.account, call.region):
            continue
        for cluster in store.clusters.values():
            for group in cluster.nodegroups.values():
                if ids & {node[0] for node in group.members["nodes"]}:
                    _restore_later(store, group, call.world.delays.node_group)
    raise ForwardToMoto


def _restore_later(store: Store, group: ChildResource, seconds: float) -> None:
    def restore() -> None:
        if group.status != "ACTIVE":
            return
        problem = Fleet(store, group).restore()
        if problem is not None:
            code, message = problem
            name = group.members["nodegroupName"]
            group.issues = [{"code": code, "message": message, "resourceIds": [name]}]

    store.after(seconds, restore)
