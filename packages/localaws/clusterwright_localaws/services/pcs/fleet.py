"""The static instances of a compute node group, launched in EC2.

`minInstanceCount` instances run from the creation on. Instances for jobs (up to
`maxInstanceCount`) start with jobs: a driver launches them, see `cluster_driver`.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from typing import Any, Final

from botocore.exceptions import ClientError

from clusterwright_localaws.services.ec2.reserved import MARKETS, reserved_in
from clusterwright_localaws.services.ec2.reserved import running as running_in_ec2
from clusterwright_localaws.services.pcs import launch_templates
from clusterwright_localaws.services.pcs.controller import CLUSTER_TAG, GROUP_TAG
from clusterwright_localaws.services.pcs.state import ChildResource, Node, PcsCluster, Store

# What a launch template and RunInstances have in common, passed on unchanged.
_PASSED: Final = (
    "BlockDeviceMappings",
    "CapacityReservationSpecification",
    "CpuOptions",
    "EbsOptimized",
    "KeyName",
    "MetadataOptions",
    "Monitoring",
    "Placement",
)


def bring_about(store: Store, cluster: PcsCluster, group: ChildResource) -> None:
    """Launch missing static instances, and terminate those beyond the maximum.

    Raises
    ------
    ClientError
        EC2's refusal of the last attempt, see `launch`.
    """
    scaling = group.members["scalingConfiguration"]
    _drop_ended(store, group)
    _end(store, group, group.nodes[scaling["maxInstanceCount"] :])
    missing = scaling["minInstanceCount"] - len(group.nodes)
    used = {node.number for node in group.nodes}
    free = [number for number in range(1, missing + len(used) + 1) if number not in used]
    launch(store, cluster, group, free[: max(missing, 0)])


def launch(
    store: Store, cluster: PcsCluster, group: ChildResource, numbers: Sequence[int]
) -> None:
    """Launch instances with these numbers, unless they run.

    Instances are launched together or not at all in each subnet and of each type; EC2's last
    refusal is raised, and no new instance remains then.

    Raises
    ------
    ClientError
        EC2's refusal of the last attempt.
    """
    _drop_ended(store, group)
    used = {node.number for node in group.nodes}
    free = [number for number in numbers if number not in used]
    if not free:
        return
    refusal: ClientError | None = None
    data = launch_templates.data_of(store, group.members)
    for subnet_id in group.members["subnetIds"]:
        for config in group.members["instanceConfigs"]:
            request = _request(cluster, group, data, config["instanceType"], subnet_id)
            try:
                started = store.client("ec2").run_instances(
                    MinCount=len(free), MaxCount=len(free), **request
                )["Instances"]
            except ClientError as error:
                refusal = error
                continue
            for instance, number in zip(started, free, strict=True):
                group.nodes.append(Node(instance["InstanceId"], number))
            return
    if refusal is not None:
        raise refusal


def replace_all(store: Store, cluster: PcsCluster, group: ChildResource) -> None:
    """Replace every instance after an update; no job delays it here.

    Raises
    ------
    ClientError
        EC2's refusal to launch.
    """
    end(store, group)
    bring_about(store, cluster, group)


def restore(store: Store, cluster: PcsCluster, group: ChildResource) -> None:
    """Launch the static instances of an active group again, after its cluster was suspended.

    Raises
    ------
    ClientError
        EC2's refusal to launch.
    """
    if group.status == "ACTIVE":
        bring_about(store, cluster, group)


def end(store: Store, group: ChildResource) -> None:
    """Terminate every instance."""
    _end(store, group, list(group.nodes))


def end_some(store: Store, group: ChildResource, instance_ids: Sequence[str]) -> None:
    """Terminate those of a group's instances that are named."""
    _end(store, group, [node for node in group.nodes if node.instance_id in instance_ids])


def running(store: Store, group: ChildResource) -> list[Node]:
    """Return the nodes whose instances run, by number."""
    _drop_ended(store, group)
    return sorted(group.nodes, key=lambda node: node.number)


def node_of(
    store: Store, cluster: PcsCluster, instance_id: str
) -> tuple[ChildResource, Node] | None:
    """Return the group and the node of an instance of a cluster that runs, or None."""
    for group in cluster.groups.values():
        _drop_ended(store, group)
        for node in group.nodes:
            if node.instance_id == instance_id:
                return group, node
    return None


def _request(
    cluster: PcsCluster,
    group: ChildResource,
    data: Mapping[str, Any],
    instance_type: str,
    subnet_id: str,
) -> dict[str, Any]:
    members = group.members
    found: dict[str, Any] = {name: data[name] for name in _PASSED if data.get(name)}
    found["ImageId"] = members.get("amiId") or data["ImageId"]
    found["InstanceType"] = instance_type
    # By name: moto does not associate a profile that is named by its ARN.
    found["IamInstanceProfile"] = {"Name": members["iamInstanceProfileArn"].rsplit("/", 1)[-1]}
    if members.get("sshKeyName"):
        found["KeyName"] = members["sshKeyName"]
    if data.get("UserData"):
        # The template has it in base64, and so has botocore's request by itself.
        found["UserData"] = base64.b64decode(data["UserData"])
    market = MARKETS.get(members["purchaseOption"])
    if market is not None:
        found["InstanceMarketOptions"] = {"MarketType": market}
    interfaces = data.get("NetworkInterfaces")
    if interfaces:
        found["NetworkInterfaces"] = [{**one, "SubnetId": subnet_id} for one in interfaces]
    else:
        found["SubnetId"] = subnet_id
        groups = members.get("securityGroupIds") or data.get("SecurityGroupIds")
        if groups:
            found["SecurityGroupIds"] = list(groups)
    own = [
        tag
        for one in data.get("TagSpecifications", ())
        if one.get("ResourceType") == "instance"
        for tag in one.get("Tags", ())
    ]
    tags = [
        *own,
        {"Key": CLUSTER_TAG, "Value": cluster.id},
        {"Key": GROUP_TAG, "Value": group.id},
    ]
    found["TagSpecifications"] = [{"ResourceType": "instance", "Tags": tags}]
    return found


def _end(store: Store, group: ChildResource, nodes: list[Node]) -> None:
    if not nodes:
        return
    alive = _alive(store, nodes)
    if alive:
        store.client("ec2").terminate_instances(InstanceIds=sorted(alive))
    gone = {node.instance_id for node in nodes}
    group.nodes = [node for node in group.nodes if node.instance_id not in gone]


def _drop_ended(store: Store, group: ChildResource) -> None:
    """Forget nodes whose instance somebody terminated."""
    alive = _alive(store, group.nodes)
    group.nodes = [node for node in group.nodes if node.instance_id in alive]


def _alive(store: Store, nodes: list[Node]) -> set[str]:
    if not nodes:
        return set()
    # Not by DescribeInstances: a driver asks every second.
    reserved_in(store.runtime, store.account, store.region)  # ends the instances of ended blocks
    known = {node.instance_id for node in nodes}
    return known & {instance.id for instance in running_in_ec2(store.account, store.region)}
