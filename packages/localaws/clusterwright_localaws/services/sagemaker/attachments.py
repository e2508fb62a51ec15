"""Volumes and network interfaces of the account that are attached to nodes.

The conditions are those of the API model (botocore 1.44.5); the messages are ours, and so is the
refusal of a volume or interface in another Availability Zone than the node, which is EC2's rule.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

from clusterwright_localaws.core import moto_state
from clusterwright_localaws.core.call import Call, operation
from clusterwright_localaws.core.errors import AwsError
from clusterwright_localaws.services.sagemaker import rules
from clusterwright_localaws.services.sagemaker.state import (
    Cluster,
    Node,
    clusters_of,
    find_node,
)

# Device names that EC2 recommends for data volumes:
# https://docs.aws.amazon.com/ebs/latest/userguide/device_naming.html
_DEVICES = [f"/dev/sd{letter}" for letter in "fghijklmnop"]


@operation("sagemaker", "AttachClusterNodeVolume")
def attach_cluster_node_volume(call: Call) -> Mapping[str, Any]:
    cluster, node = _node(call, call.parameters["ClusterArn"], only_eks=True)
    volume = _volume(call)
    if volume.status != "available":
        raise rules.invalid(f"Volume {volume.id} is {volume.status}; it must be available.")
    _require_zone(node, volume.availability_zone, f"volume {volume.id}")
    taken = {each.device for each in _volumes(call) if _holder(each) == node.instance_id}
    free = [device for device in _DEVICES if device not in taken]
    if not free:
        raise rules.invalid(f"No device name of node {node.instance_id} is free.")
    holder = SimpleNamespace(id=node.instance_id, block_device_mapping={})
    volume.attachment = _moto_attachment()(volume, holder, free[0], "attached")
    return _attachment(cluster, node, volume.id, volume.attachment, "attaching")


@operation("sagemaker", "DetachClusterNodeVolume")
def detach_cluster_node_volume(call: Call) -> Mapping[str, Any]:
    cluster, node = _node(call, call.parameters["ClusterArn"], only_eks=True)
    volume = _volume(call)
    attachment = volume.attachment
    if attachment is None or attachment.instance.id != node.instance_id:
        raise AwsError(
            "ResourceNotFound",
            f"Volume {volume.id} is not attached to node {node.instance_id}.",
        )
    volume.attachment = None
    return _attachment(cluster, node, volume.id, attachment, "detaching")


@operation("sagemaker", "AttachClusterNodeNetworkInterface")
def attach_cluster_node_network_interface(call: Call) -> Mapping[str, Any]:
    cluster, node = _node(call, call.parameters["ClusterName"], only_eks=False)
    name = call.parameters["NetworkInterfaceId"]
    interface = _backend(call).enis.get(name)
    if interface is None:
        raise AwsError("ResourceNotFound", f"Network interface {name} does not exist.")
    if interface.status != "available":
        raise rules.invalid(f"Network interface {name} is {interface.status}.")
    _require_zone(node, interface.subnet.availability_zone, f"network interface {name}")
    attachment_id = f"eni-attach-{secrets.token_hex(9)[:17]}"
    interface.status = "in-use"
    interface.attachment_id = attachment_id
    interface.attach_time = datetime.now(UTC)
    interface.instance = SimpleNamespace(
        id=node.instance_id, owner_id=cluster.account, security_groups=[], dynamic_group_list=[]
    )
    return {
        "ClusterArn": cluster.arn,
        "NodeId": node.instance_id,
        "NetworkInterfaceId": name,
        "AttachmentId": attachment_id,
    }


def release_attachments(cluster: Cluster, instance_id: str) -> None:
    """Detach what the account attached to an instance that is terminated."""
    backend = moto_state.existing("ec2", cluster.account, cluster.region)
    if backend is None:
        return
    for volume in list(backend.volumes.values()):
        if volume.attachment is not None and volume.attachment.instance.id == instance_id:
            volume.attachment = None
    for interface in list(backend.enis.values()):
        if isinstance(interface.instance, SimpleNamespace) and (
            interface.instance.id == instance_id
        ):
            interface.status = "available"
            interface.instance = interface.attachment_id = interface.attach_time = None


def _node(call: Call, name: str, *, only_eks: bool) -> tuple[Cluster, Node]:
    cluster = clusters_of(call).find(name)
    if only_eks and cluster.eks_arn is None:
        raise rules.invalid("Volumes can only be attached in clusters orchestrated by Amazon EKS.")
    if cluster.status != "InService":
        raise rules.invalid(f"Cluster {cluster.name} is {cluster.status}; it must be InService.")
    node = find_node(cluster, instance_id=call.parameters["NodeId"], logical_id=None)
    if node is None:
        raise AwsError(
            "ResourceNotFound",
            f"Instance {call.parameters['NodeId']} does not exist in cluster {cluster.name}.",
        )
    if cluster.groups[node.group_name].restricted:
        raise rules.invalid(f"Instance {node.instance_id} belongs to a restricted instance group.")
    return cluster, node


def _require_zone(node: Node, zone: str | None, what: str) -> None:
    if zone != node.zone_name:
        raise rules.invalid(
            f"Instance {node.instance_id} is in {node.zone_name}, and {what} in {zone}."
        )


def _backend(call: Call) -> Any:
    return moto_state.backend("ec2", call.account, call.region)


def _volumes(call: Call) -> list[Any]:
    return [each.attachment for each in _backend(call).volumes.values() if each.attachment]


def _volume(call: Call) -> Any:
    name = call.parameters["VolumeId"]
    found = _backend(call).volumes.get(name)
    if found is None:
        raise AwsError("ResourceNotFound", f"Volume {name} does not exist.")
    return found


def _moto_attachment() -> Any:
    """Return moto's class of a volume's attachment; its abstract methods are never called."""
    from moto.ec2.models.elastic_block_store import VolumeAttachment

    return VolumeAttachment


def _holder(attachment: Any) -> str:
    return str(attachment.instance.id)


def _attachment(
    cluster: Cluster, node: Node, volume_id: str, attachment: Any, status: str
) -> dict[str, Any]:
    return {
        "ClusterArn": cluster.arn,
        "NodeId": node.instance_id,
        "VolumeId": volume_id,
        "AttachTime": attachment.attach_time,
        "Status": status,
        "DeviceName": attachment.device,
    }
