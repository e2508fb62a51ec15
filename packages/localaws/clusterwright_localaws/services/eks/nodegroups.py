"""Managed node groups. Their nodes are EC2 instances (`fleet`) without a kubelet.

Defaults are the API model's and moto's. Messages about duplicates, roles and instance types:
aws/containers-roadmap and terraform modules; others are ours.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Mapping
from typing import Any

from clusterwright_localaws.core import catalog_facts, quotas
from clusterwright_localaws.core.call import Call, operation
from clusterwright_localaws.iam import entities
from clusterwright_localaws.services.ec2.network import User
from clusterwright_localaws.services.eks import access, checks, node_values
from clusterwright_localaws.services.eks.fleet import Fleet, template_data, template_of
from clusterwright_localaws.services.eks.lists import listed
from clusterwright_localaws.services.eks.state import (
    ChildResource,
    EksCluster,
    Store,
    active,
    begin,
    cluster_of,
    in_use,
    invalid,
    not_found,
    over_limit,
    store_of,
)

GROUPS_PER_CLUSTER = "L-6D54EA21"
NODES_PER_GROUP = "L-BD136A63"
DEFAULT_TYPE = "t3.medium"
DEFAULT_DISK_GIB = 20
_KEPT = (
    "nodegroupName",
    "clusterName",
    "subnets",
    "nodeRole",
    "remoteAccess",
    "launchTemplate",
    "updateConfig",
    "nodeRepairConfig",
    "warmPoolConfig",
)


@operation("eks", "CreateNodegroup")
def create_nodegroup(call: Call) -> Mapping[str, Any]:
    return {"nodegroup": {**_create(call).view("nodegroupArn", "nodes"), "resources": {}}}


@operation("eks", "DescribeNodegroup")
def describe_nodegroup(call: Call) -> Mapping[str, Any]:
    return {"nodegroup": {**_group(call).view("nodegroupArn", "nodes"), "resources": {}}}


@operation("eks", "ListNodegroups")
def list_nodegroups(call: Call) -> Mapping[str, Any]:
    return listed(call, "nodegroups", sorted(cluster_of(call).nodegroups))


@operation("eks", "DeleteNodegroup")
def delete_nodegroup(call: Call) -> Mapping[str, Any]:
    store, cluster, group = store_of(call), cluster_of(call), _group(call)
    if group.status in ("CREATING", "UPDATING", "DELETING"):
        raise in_use(f"Nodegroup has status {group.status} and cannot be deleted now")
    group.status = "DELETING"
    answer = {"nodegroup": {**group.view("nodegroupArn", "nodes"), "resources": {}}}

    def gone() -> None:
        _let_go(store, group)
        cluster.nodegroups.pop(group.members["nodegroupName"], None)

    store.after(
        call.world.delays.node_group, gone, lambda error: _fail(group, "DELETE_FAILED", error)
    )
    return answer


@operation("eks", "UpdateNodegroupConfig")
def update_nodegroup_config(call: Call) -> Mapping[str, Any]:
    request, group = call.parameters, _idle(call)
    members = dict(group.members)
    shown: dict[str, Any] = {}
    labels = request.get("labels") or {}
    if labels:
        node_values.check_labels(labels.get("addOrUpdateLabels", {}))
        members["labels"] = {**members["labels"], **labels.get("addOrUpdateLabels", {})}
        for name in labels.get("removeLabels", ()):
            members["labels"].pop(name, None)
        shown["LabelsToAdd"] = labels.get("addOrUpdateLabels", {})
        shown["LabelsToRemove"] = labels.get("removeLabels", [])
    taints = request.get("taints") or {}
    if taints:
        node_values.check_taints(taints.get("addOrUpdateTaints", ()))
        members["taints"] = _taints(members["taints"], taints)
        shown["TaintsToAdd"] = taints.get("addOrUpdateTaints", [])
        shown["TaintsToRemove"] = taints.get("removeTaints", [])
    if request.get("scalingConfig"):
        members["scalingConfig"] = {**members["scalingConfig"], **request["scalingConfig"]}
        _check_scaling(call, members["scalingConfig"])
        for name in ("minSize", "maxSize", "desiredSize"):
            shown[name[:1].upper() + name[1:]] = str(members["scalingConfig"][name])
    if request.get("updateConfig"):
        node_values.check_update_config(request["updateConfig"])
        members["updateConfig"] = request["updateConfig"]
        shown["MaxUnavailable"] = request["updateConfig"]
    node_values.check_repair_config(request.get("nodeRepairConfig") or {})
    for name in ("nodeRepairConfig", "warmPoolConfig"):
        if request.get(name):
            members[name] = request[name]
            shown["NodeRepairConfig" if name[0] == "n" else "WarmPoolEnabled"] = request[name]
    if not shown:
        raise invalid("No updates were given for the nodegroup.")
    return _start(call, group, "ConfigUpdate", shown, lambda: group.members.update(members))


@operation("eks", "UpdateNodegroupVersion")
def update_nodegroup_version(call: Call) -> Mapping[str, Any]:
    request, group, cluster = call.parameters, _idle(call), cluster_of(call)
    template, kind = request.get("launchTemplate"), None
    if template is not None:
        if not group.members.get("launchTemplate"):
            raise invalid("A node group without a launch template cannot be given one.")
        kind = _check_launch_template(call, template)
        _check_same_template(store_of(call), group.members["launchTemplate"], template)
        if _own_image(store_of(call), request) != (group.members["amiType"] == "CUSTOM"):
            raise invalid(
                "You must create a new node group to switch between specifying an AMI ID in "
                "a launch template and not specifying an AMI ID"
            )
    _check_own_image(
        store_of(call), {"launchTemplate": group.members.get("launchTemplate"), **request}
    )
    requested = str(request.get("version") or cluster.version)
    _check_version(cluster, requested, group.members["version"])
    _check_block_is_empty(group)
    release = request.get("releaseVersion") or _release(requested)
    parameters: dict[str, Any] = {"Version": requested, "ReleaseVersion": release}
    changes: dict[str, Any] = {"version": requested, "releaseVersion": release}
    if template is not None:
        changes["launchTemplate"] = template
        if kind:
            changes["instanceTypes"] = [kind]
        parameters["LaunchTemplateVersion"] = str(template.get("version", "$Default"))
    return _start(
        call,
        group,
        "VersionUpdate",
        parameters,
        lambda: group.members.update(changes),
    )


def _create(call: Call) -> ChildResource:
    store, request, cluster = store_of(call), call.parameters, active(cluster_of(call))
    name = request["nodegroupName"]
    if name in cluster.nodegroups:
        raise in_use(f"NodeGroup already exists with name {name} and cluster name {cluster.name}")
    _check_role(call, request["nodeRole"])
    subnets = checks.subnets_of(store, request["subnets"])
    if not subnets:
        raise invalid("The list of subnets must not be empty")
    foreign = [subnet.id for subnet in subnets if subnet.vpc_id != cluster.vpc_id]
    if foreign:
        raise invalid(f"Subnets {', '.join(foreign)} are not in the VPC of the cluster")
    scaling = {
        "minSize": 2,
        "maxSize": 2,
        "desiredSize": 2,
        **(request.get("scalingConfig") or {}),
    }
    if request.get("scalingConfig") and "desiredSize" not in request["scalingConfig"]:
        scaling["desiredSize"] = scaling["minSize"]
    _check_scaling(call, scaling)
    types = _check_types(call, request)
    _check_own_image(store, request)
    image_type = str(request.get("amiType") or _image_type(store, request))
    node_values.check_types(types, image_type)
    version = str(request.get("version") or cluster.version)
    _check_version(cluster, version)
    node_values.check_update_config(request.get("updateConfig") or {})
    node_values.check_repair_config(request.get("nodeRepairConfig") or {})
    node_values.check_labels(request.get("labels") or {})
    node_values.check_taints(request.get("taints") or ())
    _check_count(call, cluster)
    group = ChildResource(
        arn=cluster.arn_of("nodegroup", cluster.name, name, str(uuid.uuid4())),
        created_at=call.now,
        modified_at=call.now,
        tags=dict(request.get("tags", {})),
        members={
            **{key: request[key] for key in _KEPT if request.get(key) is not None},
            "scalingConfig": scaling,
            "instanceTypes": types,
            "capacityType": request.get("capacityType", "ON_DEMAND"),
            "amiType": image_type,
            "labels": dict(request.get("labels", {})),
            "taints": list(request.get("taints", ())),
            "version": version,
            "releaseVersion": request.get("releaseVersion") or _release(version),
            "nodes": [],
        },
    )
    if not request.get("launchTemplate"):
        group.members["diskSize"] = request.get("diskSize", DEFAULT_DISK_GIB)
    group.members.setdefault("updateConfig", {"maxUnavailable": 1})
    cluster.nodegroups[name] = group
    store.network.use(
        group.arn,
        User(
            f"EKS node group {name}",
            tuple((request.get("remoteAccess") or {}).get("sourceSecurityGroups", ())),
            tuple(request["subnets"]),
        ),
    )
    if cluster.authentication_mode != "CONFIG_MAP":
        # EKS creates the access entry of managed nodes itself.
        kind = "EC2_WINDOWS" if "WINDOWS" in group.members["amiType"] else "EC2_LINUX"
        if request["nodeRole"] not in cluster.access_entries:
            access.add_entry(cluster, request["nodeRole"], kind, call.now)
    store.after(
        call.world.delays.node_group,
        lambda: _launch(store, group),
        lambda error: _fail(group, "CREATE_FAILED", error),
    )
    return group


def _launch(store: Store, group: ChildResource) -> None:
    """Complete the creation: nodes are launched, or the group fails with AWS's issue."""
    problem = Fleet(store, group).grow_to(group.members["scalingConfig"]["desiredSize"])
    if problem is not None:
        code, message = problem
        group.status = "CREATE_FAILED"
        group.issues = [
            {"code": code, "message": message, "resourceIds": [group.members["nodegroupName"]]}
        ]
        return
    group.status = "ACTIVE"


def _fail(group: ChildResource, status: str, error: Exception) -> None:
    """Report a failure of another service that is not one of EKS's documented issues.

    Nodes that run by then stay with the group; its deletion ends them.
    """
    group.status = status
    group.issues = [
        {
            "code": "InternalFailure",
            "message": str(error),
            "resourceIds": [group.members["nodegroupName"]],
        }
    ]


def _let_go(store: Store, group: ChildResource) -> None:
    Fleet(store, group).end()
    store.network.release(group.arn)


def _start(
    call: Call,
    group: ChildResource,
    kind: str,
    parameters: dict[str, Any],
    apply: Callable[[], None],
) -> Mapping[str, Any]:
    store, cluster = store_of(call), cluster_of(call)
    update = begin(
        store, cluster, kind, parameters, call.now, nodegroup=group.members["nodegroupName"]
    )
    group.status = "UPDATING"
    before = dict(group.members)

    def done() -> None:
        apply()
        problem = _bring_about(store, group, before, recycle=kind == "VersionUpdate")
        if problem is None:
            update.status = "Successful"
        else:
            nodes = group.members["nodes"]
            group.members.update(before)
            group.members["nodes"] = nodes
            _bring_about(store, group, before, recycle=False)
            update.status = "Failed"
            update.errors = [
                {
                    "errorCode": "InsufficientFreeAddresses"
                    if problem[0] == "InsufficientFreeAddresses"
                    else "NodeCreationFailure",
                    "errorMessage": problem[1],
                    "resourceIds": [group.members["nodegroupName"]],
                }
            ]
        group.status = "ACTIVE"
        group.modified_at = call.runtime.clock.now()

    def failed(error: Exception) -> None:
        group.members.update({**before, "nodes": group.members["nodes"]})
        update.status = "Failed"
        update.errors = [
            {
                "errorCode": "Unknown",
                "errorMessage": str(error),
                "resourceIds": [group.members["nodegroupName"]],
            }
        ]
        group.status = "ACTIVE"

    answer = {"update": update.view()}
    store.after(call.world.delays.node_group, done, failed)
    return answer


def _bring_about(
    store: Store, group: ChildResource, before: Mapping[str, Any], *, recycle: bool
) -> tuple[str, str] | None:
    """Apply an update: the desired number of nodes, replaced if template or version changed."""
    fleet = Fleet(store, group)
    if recycle:
        names = ("launchTemplate", "version", "releaseVersion")
        if any(group.members.get(name) != before.get(name) for name in names):
            return fleet.recycle()
        return None
    requested = group.members["scalingConfig"]["desiredSize"]
    fleet.shrink_to(requested)
    return fleet.grow_to(requested)


def _idle(call: Call) -> ChildResource:
    group = _group(call)
    if group.status != "ACTIVE":
        raise in_use(f"Nodegroup cannot be updated as it is currently {group.status}")
    return group


def _group(call: Call) -> ChildResource:
    name = call.parameters["nodegroupName"]
    found = cluster_of(call).nodegroups.get(name)
    if found is None:
        raise not_found(f"No node group found for name: {name}.")
    return found


def _check_role(call: Call, arn: str) -> None:
    role = entities.role_of(arn)
    if role is None:
        raise invalid(f"The role with name {arn.rsplit('/', 1)[-1]} cannot be found.")
    if not checks.trusts(role, "ec2.amazonaws.com"):
        raise invalid(
            "Following required service principals [ec2.amazonaws.com] were not found in the "
            f"trust relationships of nodeRole {arn}"
        )


def _check_scaling(call: Call, scaling: Mapping[str, int]) -> None:
    low, desired, high = scaling["minSize"], scaling["desiredSize"], scaling["maxSize"]
    if low > high:
        raise invalid(f"Minimum capacity {low} can't be greater than maximum size {high}")
    if desired < low:
        raise invalid(f"Minimum capacity {low} can't be greater than desired size {desired}")
    if desired > high:
        raise invalid(f"desired capacity {desired} can't be greater than max size {high}")
    found = quotas.quota(call.runtime, call.region, "eks", NODES_PER_GROUP)
    if found is not None and found.value is not None and high > found.value:
        raise over_limit(f"maxSize {high} exceeds {int(found.value)}, the quota '{found.name}'")


def _check_types(call: Call, request: Mapping[str, Any]) -> list[str]:
    from moto.ec2.models.instance_types import INSTANCE_TYPES

    template = request.get("launchTemplate")
    types = list(request.get("instanceTypes", ()))
    if template is not None:
        for name in ("diskSize", "remoteAccess"):
            if request.get(name) is not None:
                raise invalid(f"{name} cannot be specified together with a launch template")
        of_template = _check_launch_template(call, template)
        if of_template and types:
            raise invalid(
                "Instance types must be specified in the launch template or in the request, not "
                "in both"
            )
        types = types or ([of_template] if of_template else [])
    block = request.get("capacityType") == "CAPACITY_BLOCK"
    if block and template is None:
        raise invalid("The capacity type CAPACITY_BLOCK needs a launch template")
    if template is not None:
        data = template_data(store_of(call), template)
        market = (data.get("InstanceMarketOptions") or {}).get("MarketType")
        if block != (market == "capacity-block"):
            raise invalid(
                "The capacity type CAPACITY_BLOCK and the market type capacity-block of the "
                "launch template go together"
            )
    types = types or [DEFAULT_TYPE]
    unknown = [
        name
        for name in types
        if name not in INSTANCE_TYPES and catalog_facts.catalog().instance(name) is None
    ]
    if unknown:
        raise invalid(
            f"The following supplied instance types do not exist: [{', '.join(unknown)}]"
        )
    if len(set(types)) < len(types):
        raise invalid("Instance types must be unique")
    return types


def _check_launch_template(call: Call, template: Mapping[str, Any]) -> str | None:
    """Return the instance type of a launch template, which must exist."""
    if bool(template.get("id")) == bool(template.get("name")):
        raise invalid("Specify exactly one of the id and the name of a launch template")
    found = template_of(store_of(call), template)
    if found is None:
        raise invalid(
            f"Launch template {template.get('id') or template.get('name')} does not exist"
        )
    number = str(template.get("version") or "$Default")
    if not (number in ("$Default", "$Latest") or number.isdigit()):
        raise invalid(f"{number} is not a version of a launch template")
    if number.isdigit() and int(number) > len(found.versions):
        raise invalid(f"Launch template {found.id} has no version {number}")
    data = template_data(store_of(call), template)
    _check_template_data(data)
    kind: str | None = data.get("InstanceType")
    return kind


def _check_template_data(data: Mapping[str, Any]) -> None:
    """Refuse launch template settings that belong to the node group.

    "The launch template can't include SubnetId, IamInstanceProfile, RequestSpotInstances,
    HibernationOptions, or TerminateInstances" (API model, LaunchTemplateSpecification).
    """
    refused = [
        name
        for name, there in (
            (
                "SubnetId",
                any(interface.get("SubnetId") for interface in data.get("NetworkInterfaces", ())),
            ),
            ("IamInstanceProfile", bool(data.get("IamInstanceProfile"))),
            (
                "InstanceMarketOptions",
                (data.get("InstanceMarketOptions") or {}).get("MarketType") == "spot",
            ),
            ("HibernationOptions", bool(data.get("HibernationOptions"))),
        )
        if there
    ]
    if refused:
        raise invalid(
            f"Launch template {', '.join(refused)} should not be set: it is specified in the "
            "node group"
        )


def _check_version(cluster: EksCluster, version: str, current: str | None = None) -> None:
    """API model, CreateNodegroup.version: that of the cluster "is the only accepted specified
    value"; the message, which names the version of an existing group too, is that which
    aws/aws-k8s-tester quotes.
    """
    if version not in (cluster.version, current):
        raise invalid(
            f"Nodegroup Kubernetes version should be equal to Cluster kubernetes version "
            f"{cluster.version} or NodeGroup kubernetes version {current or cluster.version}"
        )


def _check_count(call: Call, cluster: EksCluster) -> None:
    found = quotas.quota(call.runtime, call.region, "eks", GROUPS_PER_CLUSTER)
    if found is None or found.value is None:
        return
    if len(cluster.nodegroups) + 1 > found.value:
        raise over_limit(f"A cluster has at most {int(found.value)} of '{found.name}'")


def _check_same_template(
    store: Store, old: Mapping[str, Any], requested: Mapping[str, Any]
) -> None:
    """API model, UpdateNodegroupVersion: "you must specify the same launch template ID or name
    that was used to create the node group"; the message is ours.
    """
    if template_of(store, old) is not template_of(store, requested):
        raise invalid("The launch template of a node group cannot be changed, only its version.")


def _check_block_is_empty(group: ChildResource) -> None:
    """EKS user guide, "Create a managed node group with Capacity Blocks for ML": such a group is
    updated without nodes; the message is ours.
    """
    if group.members["capacityType"] != "CAPACITY_BLOCK" or not group.members["nodes"]:
        return
    raise invalid("A node group in a Capacity Block can be updated only while it has no nodes.")


def _taints(before: list[dict[str, Any]], request: Mapping[str, Any]) -> list[dict[str, Any]]:
    gone = {(taint.get("key"), taint.get("effect")) for taint in request.get("removeTaints", ())}
    changed = {
        (taint.get("key"), taint.get("effect")) for taint in request.get("addOrUpdateTaints", ())
    }
    kept = [t for t in before if (t.get("key"), t.get("effect")) not in gone | changed]
    return [*kept, *request.get("addOrUpdateTaints", ())]


def _check_own_image(store: Store, request: Mapping[str, Any]) -> None:
    """Check the limits with an AMI id (EKS user guide, "Limits and conditions when specifying an
    AMI ID"); the message is ours.
    """
    if not _own_image(store, request):
        return
    for name in ("amiType", "releaseVersion", "version"):
        if request.get(name) not in (None, "CUSTOM"):
            raise invalid(f"You cannot specify {name} when the launch template has an image id")


def _own_image(store: Store, request: Mapping[str, Any]) -> bool:
    return bool(template_data(store, request.get("launchTemplate") or {}).get("ImageId"))


def _image_type(store: Store, request: Mapping[str, Any]) -> str:
    return "CUSTOM" if _own_image(store, request) else "AL2023_x86_64_STANDARD"


def _release(version: str) -> str:
    """Return a placeholder release: releases of EKS images are not sourced."""
    return f"{version}.0-00000000"
