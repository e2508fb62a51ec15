"""The launch template of a node group: interfaces, volume, capacity, placement, metadata."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import aws_cdk as cdk
from aws_cdk import aws_ec2 as ec2
from aws_cdk import aws_eks as eks
from constructs import Construct

from clusterwright.catalog import Catalog, Unknown
from clusterwright.catalog.model import Interface
from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.cluster_spec.models.compute import CapacityBlock, ComputeGroup, Reservation
from clusterwright.platforms.eks.launch_templates import METADATA_HOPS, ROOT_DEVICE, interfaces
from clusterwright.platforms.eks.user_data import NODE_CONFIG, SHELL_SCRIPT, user_data
from clusterwright.platforms.kubernetes import kubelet_wait
from clusterwright.platforms.kubernetes.control_plane import cluster_name, service_cidr
from clusterwright.platforms.kubernetes.groups import held_taints
from clusterwright.platforms.kubernetes.kubelet_wait import delays_kubelet
from stacks.base.outdated_validators import ignore_dated_instance_type
from stacks.base.tags import tags_of

_CFN = ec2.CfnLaunchTemplate


class UnknownInterfaces(Exception):
    """No source has the interfaces of a type's network cards (the spec's validation refuses
    it).
    """


def launch_template(
    scope: Construct,
    construct_id: str,
    cluster: Cluster,
    group: ComputeGroup,
    catalog: Catalog,
    *,
    security_group_ids: Sequence[str],
    key_arn: str,
    control_plane: eks.CfnCluster,
    placement_group_name: str | None,
) -> ec2.CfnLaunchTemplate:
    """The launch template of every instance of a group.

    It does not have what EKS decides: the subnet, the instance profile, the market of Spot
    Instances, and the image where the spec names none (EKS user guide, "Customize managed nodes
    with launch templates").

    Raises
    ------
    UnknownInterfaces
        The catalogue does not know the interfaces of the type.
    """
    layout = interfaces(group, catalog)
    if isinstance(layout, Unknown):
        raise UnknownInterfaces(f"{group.instance_type}: {layout.reason}")
    tags = [cdk.CfnTag(key=key, value=value) for key, value in tags_of(cluster).items()]
    named = [cdk.CfnTag(key="Name", value=f"{cluster.environment}-{group.name}"), *tags]
    template = _CFN(
        scope,
        construct_id,
        launch_template_data=_CFN.LaunchTemplateDataProperty(
            # Not in the node group, where a change of the type would replace the group.
            instance_type=group.instance_type,
            image_id=cluster.image.image_id,
            network_interfaces=[interface(each, security_group_ids) for each in layout.value],
            block_device_mappings=[_root_volume(cluster, key_arn)],
            metadata_options=metadata_options(METADATA_HOPS),
            capacity_reservation_specification=reservation(group),
            instance_market_options=block_market(group),
            placement=placement(placement_group_name),
            cpu_options=cpu(group, catalog),
            user_data=_user_data(cluster, group, control_plane),
            tag_specifications=instance_tags(named),
        ),
        tag_specifications=template_tags(named),
    )
    ignore_dated_instance_type(template, group.instance_type)
    return template


def metadata_options(hops: int) -> _CFN.MetadataOptionsProperty:
    """IMDSv2. All options are set: the account may have other defaults."""
    return _CFN.MetadataOptionsProperty(
        http_endpoint="enabled",
        http_tokens="required",
        http_put_response_hop_limit=hops,
        instance_metadata_tags="disabled",
    )


def block_market(group: ComputeGroup) -> _CFN.InstanceMarketOptionsProperty | None:
    """The market of a capacity block; none for other capacity."""
    if isinstance(group.capacity, CapacityBlock):
        return _CFN.InstanceMarketOptionsProperty(market_type="capacity-block")
    return None


def placement(group_name: str | None) -> _CFN.PlacementProperty | None:
    """The placement group, if there is one."""
    return _CFN.PlacementProperty(group_name=group_name) if group_name is not None else None


def instance_tags(tags: Sequence[cdk.CfnTag]) -> list[_CFN.TagSpecificationProperty]:
    """Tags of what a launch creates."""
    return [
        _CFN.TagSpecificationProperty(resource_type=kind, tags=list(tags))
        for kind in ("instance", "volume", "network-interface")
    ]


def template_tags(
    tags: Sequence[cdk.CfnTag],
) -> list[_CFN.LaunchTemplateTagSpecificationProperty]:
    """Tags of the launch template itself."""
    return [
        _CFN.LaunchTemplateTagSpecificationProperty(
            resource_type="launch-template", tags=list(tags)
        )
    ]


def interface(
    interface: Interface, security_group_ids: Sequence[str]
) -> _CFN.NetworkInterfaceProperty:
    """A network interface of the launch template."""
    return _CFN.NetworkInterfaceProperty(
        network_card_index=interface.card,
        device_index=interface.device,
        interface_type=interface.kind,
        # All interfaces have the groups: EFA traffic is allowed by group only.
        groups=list(security_group_ids),
        delete_on_termination=True,
        # EC2 never assigns a public address to an instance with several interfaces.
        associate_public_ip_address=False if interface == Interface(0, 0, "interface") else None,
    )


def _root_volume(cluster: Cluster, key_arn: str) -> _CFN.BlockDeviceMappingProperty:
    return _CFN.BlockDeviceMappingProperty(
        device_name=ROOT_DEVICE,
        ebs=_CFN.EbsProperty(
            volume_type="gp3",
            volume_size=cluster.kubernetes.node_volume_gib,
            encrypted=True,
            kms_key_id=key_arn,
            delete_on_termination=True,
        ),
    )


def reservation(group: ComputeGroup) -> _CFN.CapacityReservationSpecificationProperty | None:
    """The reservation or block of a group, or none for on-demand capacity."""
    capacity = group.capacity
    if isinstance(capacity, Reservation | CapacityBlock):
        return _CFN.CapacityReservationSpecificationProperty(
            capacity_reservation_target=_CFN.CapacityReservationTargetProperty(
                capacity_reservation_id=capacity.id
            )
        )
    if capacity.kind == "on-demand":
        # Do not use an open reservation of another team in the account by accident.
        return _CFN.CapacityReservationSpecificationProperty(
            capacity_reservation_preference="none"
        )
    return None


def cpu(group: ComputeGroup, catalog: Catalog) -> _CFN.CpuOptionsProperty | None:
    """The cores of an instance, if the group states its threads."""
    if group.threads_per_core is None:
        return None
    instance = catalog.instance(group.instance_type)
    cores = instance.cores if instance else None
    if cores is None or isinstance(cores, Unknown):
        raise UnknownInterfaces(f"{group.instance_type}: its number of cores is unknown")
    return _CFN.CpuOptionsProperty(core_count=cores.value, threads_per_core=group.threads_per_core)


def _user_data(cluster: Cluster, group: ComputeGroup, control_plane: eks.CfnCluster) -> str | None:
    """Configuration of nodeadm, a part that EKS merges with its own or all of it, and a script.

    With RAID0 nodeadm puts what containerd, the kubelet and pods' `emptyDir` volumes write on the
    instance's drives (awslabs/amazon-eks-ami, `nodeadm/doc/api.md`, LocalStorageStrategy). Where
    the image is not EKS's, EKS merges nothing and sets taints too late (EKS user guide, "Limits
    and conditions when specifying an AMI ID").
    """
    spec: dict[str, Any] = {}
    if cluster.image.image_id is not None:
        spec["cluster"] = {
            "name": cluster_name(cluster),
            "apiServerEndpoint": control_plane.attr_endpoint,
            "certificateAuthority": control_plane.attr_certificate_authority_data,
            "cidr": service_cidr(cluster),
        }
        every = [*group.taints, *held_taints(cluster, group)]
        if every:
            taints = ",".join(f"{t.key}={t.value or ''}:{t.effect}" for t in every)
            spec["kubelet"] = {"flags": [f"--register-with-taints={taints}"]}
    if group.scratch is not None:
        spec["instance"] = {"localStorage": {"strategy": "RAID0"}}
    parts = []
    if spec:
        config = {"apiVersion": "node.eks.aws/v1alpha1", "kind": "NodeConfig", "spec": spec}
        parts.append((NODE_CONFIG, json.dumps(config, indent=2)))  # JSON is YAML
    if delays_kubelet(cluster, group):
        parts.append((SHELL_SCRIPT, kubelet_wait.script()))
    text = user_data(parts)
    return None if text is None else cdk.Fn.base64(text)
