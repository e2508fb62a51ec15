"""Compute node groups of AWS PCS.

Rules: API model (botocore 1.44.5) and PCS user guide, working-with_cng_create and
working-with_cng_update. Defaults are the API model's.
"""

from __future__ import annotations

import copy
import functools
from collections.abc import Mapping
from typing import Any, Final

from clusterwright_localaws.core import catalog_facts
from clusterwright_localaws.core.call import Call, operation
from clusterwright_localaws.services.ec2.network import User
from clusterwright_localaws.services.pcs import (
    cluster_driver,
    fleet,
    gres,
    instance_profiles,
    launch_templates,
    lifecycle_actions,
    limits,
    network_checks,
    settings,
)
from clusterwright_localaws.services.pcs.clusters import Failed, listed, require_active
from clusterwright_localaws.services.pcs.failures import failure_of
from clusterwright_localaws.services.pcs.state import (
    CLUSTER,
    GROUP,
    ChildResource,
    PcsCluster,
    Store,
    cluster_of,
    conflict,
    find_child,
    invalid,
    new_id,
    not_found,
    store_of,
)

_GIVEN: Final = (
    "amiId",
    "securityGroupIds",
    "sshKeyName",
    "subnetIds",
    "purchaseOption",
    "launchTemplateMode",
    "customLaunchTemplate",
    "iamInstanceProfileArn",
    "scalingConfiguration",
    "instanceConfigs",
    "spotOptions",
    "slurmConfiguration",
)
# An empty value removes these from the group (API model, UpdateComputeNodeGroup).
_REMOVABLE: Final = ("amiId", "securityGroupIds", "sshKeyName")
# Changes of these leave running instances as they are.
_NOT_OF_NODES: Final = frozenset({"scalingConfiguration", "subnetIds", "spotOptions"})
_SPOT_STRATEGY: Final = "price-capacity-optimized"
_CHANGEABLE: Final = frozenset({"ACTIVE", "UPDATE_FAILED"})
_DELETABLE: Final = frozenset(
    {"ACTIVE", "CREATE_FAILED", "UPDATE_FAILED", "DELETE_FAILED", "SUSPENDED"}
)


@operation("pcs", "CreateComputeNodeGroup")
def create_group(call: Call) -> Mapping[str, Any]:
    store, cluster, asked = store_of(call), cluster_of(call), call.parameters
    require_active(cluster)
    name = asked["computeNodeGroupName"]
    same = find_child(cluster.groups, name)
    if same is not None:
        raise conflict(
            GROUP, same.id, f"A compute node group with the name {name} already exists."
        )
    limits.check_group_count(cluster)
    members = {key: copy.deepcopy(asked[key]) for key in _GIVEN if asked.get(key) is not None}
    _add_defaults(members)
    if asked.get("nodeLifecycleActions"):
        members["nodeLifecycleActions"] = lifecycle_actions.completed(
            asked["nodeLifecycleActions"]
        )
    _check(store, cluster, None, members)
    identifier = new_id()
    group = ChildResource(
        name=name,
        id=identifier,
        arn=store.arn(CLUSTER, cluster.id, GROUP, identifier),
        created_at=call.now,
        members=members,
        tags=dict(asked.get("tags", {})),
        cluster_id=cluster.id,
    )
    cluster.groups[identifier] = group
    _hold_network(store, group)

    def failed(error: Exception) -> None:
        group.fail("CREATE_FAILED", *failure_of(error))

    store.after(
        call.world.delays.pcs_group,
        functools.partial(_complete, store, cluster, group, failed),
        failed,
    )
    return {"computeNodeGroup": group.view()}


@operation("pcs", "GetComputeNodeGroup")
def get_group(call: Call) -> Mapping[str, Any]:
    return {"computeNodeGroup": group_of(call).view()}


@operation("pcs", "ListComputeNodeGroups")
def list_groups(call: Call) -> Mapping[str, Any]:
    found = [group.summary() for group in cluster_of(call).groups.values()]
    return listed(call, "computeNodeGroups", found)


@operation("pcs", "UpdateComputeNodeGroup")
def update_group(call: Call) -> Mapping[str, Any]:
    store, cluster, group = store_of(call), cluster_of(call), group_of(call)
    require_active(cluster)
    if group.status not in _CHANGEABLE:
        raise _not_in_state(group, "updated")
    before = copy.deepcopy(group.members)
    members = _updated(before, call.parameters)
    _check(store, cluster, group, members)
    replaced = any(
        members.get(key) != before.get(key) for key in {*members, *before} - _NOT_OF_NODES
    )
    group.members = members
    group.status, group.errors = "UPDATING", []
    _hold_network(store, group)

    def failed(error: Exception) -> None:
        group.members = before
        _hold_network(store, group)
        group.fail("UPDATE_FAILED", *failure_of(error))

    store.after(
        call.world.delays.pcs_group,
        functools.partial(_complete, store, cluster, group, failed, replace=replaced),
        failed,
    )
    return {"computeNodeGroup": group.view()}


@operation("pcs", "DeleteComputeNodeGroup")
def delete_group(call: Call) -> Mapping[str, Any]:
    store, cluster, group = store_of(call), cluster_of(call), group_of(call)
    used_by = [queue.name for queue in cluster.queues.values() if uses(queue, group)]
    if used_by:
        raise conflict(
            GROUP,
            group.id,
            f"The compute node group {group.name} is associated with queues, which must be "
            f"deleted first: {', '.join(used_by)}.",
        )
    if group.status not in _DELETABLE:
        raise _not_in_state(group, "deleted")
    group.status = "DELETING"

    def failed(error: Exception) -> None:
        group.fail("DELETE_FAILED", *failure_of(error))

    store.after(
        call.world.delays.pcs_group,
        functools.partial(_gone, store, cluster, group, failed),
        failed,
    )
    return {}


def group_of(call: Call) -> ChildResource:
    """Return the compute node group that a call names.

    Raises
    ------
    AwsError
        ResourceNotFoundException.
    """
    named = str(call.parameters["computeNodeGroupIdentifier"])
    found = find_child(cluster_of(call).groups, named)
    if found is None:
        raise not_found(GROUP, named)
    return found


def uses(queue: ChildResource, group: ChildResource) -> bool:
    """Return whether a queue is associated with a compute node group."""
    return any(
        one.get("computeNodeGroupId") == group.id
        for one in queue.members["computeNodeGroupConfigurations"]
    )


def _add_defaults(members: dict[str, Any]) -> None:
    members.setdefault("purchaseOption", "ONDEMAND")
    members.setdefault("launchTemplateMode", "CUSTOM")
    if members["purchaseOption"] == "SPOT":
        members["spotOptions"] = {
            "allocationStrategy": _SPOT_STRATEGY,
            **members.get("spotOptions", {}),
        }


def _updated(before: Mapping[str, Any], asked: Mapping[str, Any]) -> dict[str, Any]:
    members: dict[str, Any] = copy.deepcopy(dict(before))
    mode = asked.get("launchTemplateMode")
    if asked.get("customLaunchTemplate") and (
        members["launchTemplateMode"] == "MANAGED" and mode != "CUSTOM"
    ):
        raise invalid(
            "launchTemplateMode",
            "To switch from MANAGED to CUSTOM, specify launchTemplateMode as CUSTOM.",
        )
    if mode == "MANAGED":
        members.pop("customLaunchTemplate", None)
    if asked.get("purchaseOption") not in (None, "SPOT"):
        members.pop("spotOptions", None)
    configuration = dict(members.get("slurmConfiguration", {}))
    for key in _GIVEN:
        if asked.get(key) is not None:
            members[key] = copy.deepcopy(asked[key])
    for key in _REMOVABLE:
        if not members.get(key):
            members.pop(key, None)
    if asked.get("slurmConfiguration"):
        configuration.update(copy.deepcopy(asked["slurmConfiguration"]))
        members["slurmConfiguration"] = configuration
    if asked.get("nodeLifecycleActions"):
        members["nodeLifecycleActions"] = lifecycle_actions.completed(
            asked["nodeLifecycleActions"]
        )
    _add_defaults(members)
    return members


def _check(
    store: Store,
    cluster: PcsCluster,
    group: ChildResource | None,
    members: dict[str, Any],
) -> None:
    """Check the members of a group; a removed override of the idle time is left out of them."""
    scaling = members["scalingConfiguration"]
    if scaling["minInstanceCount"] > scaling["maxInstanceCount"]:
        raise invalid(
            "scalingConfiguration.minInstanceCount",
            f"minInstanceCount {scaling['minInstanceCount']} exceeds maxInstanceCount "
            f"{scaling['maxInstanceCount']}.",
        )
    limits.check_instances(cluster, group, scaling["maxInstanceCount"])
    if not members["subnetIds"]:
        raise invalid("subnetIds", "subnetIds must not be empty.")
    for subnet_id in members["subnetIds"]:
        subnet = network_checks.subnet_of(store, subnet_id, "subnetIds")
        if subnet.vpc_id != cluster.vpc_id:
            raise invalid("subnetIds", f"The subnet {subnet_id} is not in the VPC of the cluster.")
    _check_types(members["instanceConfigs"])
    instance_profiles.check(store, members["iamInstanceProfileArn"])
    configuration = members.get("slurmConfiguration") or {}
    settings.check_group(configuration, cluster.version)
    gres.check(configuration, cluster.version)
    if configuration.get("scaleDownIdleTimeInSeconds") == -1:
        del configuration["scaleDownIdleTimeInSeconds"]
    launch_templates.check(store, cluster, members)


def _check_types(configs: list[Mapping[str, str]]) -> None:
    from moto.ec2.models.instance_types import INSTANCE_TYPES

    if not configs:
        raise invalid("instanceConfigs", "instanceConfigs must not be empty.")
    for config in configs:
        name = config.get("instanceType")
        if not name:
            raise invalid("instanceConfigs", "Each instance configuration needs an instanceType.")
        if name not in INSTANCE_TYPES and catalog_facts.catalog().instance(name) is None:
            raise invalid("instanceConfigs", f"The instance type {name} does not exist.")


def _hold_network(store: Store, group: ChildResource) -> None:
    store.network.use(
        group.arn,
        User(
            f"AWS PCS compute node group {group.name}",
            tuple(group.members.get("securityGroupIds", ())),
            tuple(group.members["subnetIds"]),
        ),
    )


def _complete(
    store: Store,
    cluster: PcsCluster,
    group: ChildResource,
    failed: Failed,
    *,
    replace: bool = False,
) -> None:
    if replace:
        fleet.replace_all(store, cluster, group)
    else:
        fleet.bring_about(store, cluster, group)

    def finish() -> None:
        group.status = "ACTIVE"
        group.modified_at = store.runtime.clock.now()

    cluster_driver.after_driver(store, cluster, finish, failed)


def _gone(store: Store, cluster: PcsCluster, group: ChildResource, failed: Failed) -> None:
    fleet.end(store, group)

    def finish() -> None:
        store.network.release(group.arn)
        cluster.groups.pop(group.id, None)

    cluster_driver.after_driver(store, cluster, finish, failed)


def _not_in_state(group: ChildResource, what: str) -> Exception:
    return conflict(
        GROUP,
        group.id,
        f"The compute node group {group.name} is {group.status} and cannot be {what}.",
    )
