"""The launch template of a compute node group: interfaces, volume, capacity, placement."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import aws_cdk as cdk
from aws_cdk import aws_ec2 as ec2
from constructs import Construct

from clusterwright.catalog import Catalog, Unknown
from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.cluster_spec.models.compute import CapacityBlock, ComputeGroup
from clusterwright.platforms.eks.launch_templates import interfaces
from clusterwright.platforms.pcs.groups import GROUP_TAG
from stacks.base.outdated_validators import ignore_dated_instance_type
from stacks.base.tags import tags_of
from stacks.eks.launch_template import (
    UnknownInterfaces,
    block_market,
    cpu,
    instance_tags,
    interface,
    metadata_options,
    placement,
    reservation,
    template_tags,
)

_CFN = ec2.CfnLaunchTemplate

ROOT_DEVICE: Final = "/dev/sda1"
"""Root device of Ubuntu (EC2 user guide, "Device names for volumes")."""

METADATA_HOPS: Final = 1
"""The node program refuses the metadata service to jobs; containers need no second hop."""


def launch_template(
    scope: Construct,
    cluster: Cluster,
    group: ComputeGroup,
    catalog: Catalog,
    *,
    security_group_ids: Sequence[str],
    placement_group_name: str | None,
) -> ec2.CfnLaunchTemplate:
    """The launch template of every instance of a group.

    It does not have what PCS decides from the group: subnet, instance profile, image and the
    market of Spot Instances. PCS requires the market of a capacity block and of an interruptible
    reservation here too, and the type with a capacity block.

    Raises
    ------
    UnknownInterfaces
        The catalogue does not know the interfaces of the type.
    """
    layout = interfaces(group, catalog)
    if isinstance(layout, Unknown):
        raise UnknownInterfaces(f"{group.instance_type}: {layout.reason}")
    tags = [cdk.CfnTag(key=key, value=value) for key, value in tags_of(cluster).items()]
    named = [
        cdk.CfnTag(key="Name", value=f"{cluster.environment}-{group.name}"),
        *tags,
        cdk.CfnTag(key=GROUP_TAG, value=group.name),
    ]
    template = _CFN(
        scope,
        "Template",
        launch_template_data=_CFN.LaunchTemplateDataProperty(
            instance_type=(
                group.instance_type if isinstance(group.capacity, CapacityBlock) else None
            ),
            key_name=cluster.pcs.ssh_key_name,
            network_interfaces=[interface(each, security_group_ids) for each in layout.value],
            block_device_mappings=[_root_volume(cluster)],
            metadata_options=metadata_options(METADATA_HOPS),
            capacity_reservation_specification=reservation(group),
            instance_market_options=_market(group),
            placement=placement(placement_group_name),
            cpu_options=cpu(group, catalog),
            tag_specifications=instance_tags(named),
        ),
        tag_specifications=template_tags(named),
    )
    ignore_dated_instance_type(template, group.instance_type)
    return template


def _market(group: ComputeGroup) -> _CFN.InstanceMarketOptionsProperty | None:
    """The market of reserved capacity that needs one (PCS user guide,
    capacity-blocks-configure-cng and capacity-reservations-iodcr).
    """
    if group.is_interruptible:
        return _CFN.InstanceMarketOptionsProperty(market_type="interruptible-capacity-reservation")
    return block_market(group)


def _root_volume(cluster: Cluster) -> _CFN.BlockDeviceMappingProperty:
    """Encrypted with the account's EBS key: which permissions PCS needs for another key is not
    documented.
    """
    return _CFN.BlockDeviceMappingProperty(
        device_name=ROOT_DEVICE,
        ebs=_CFN.EbsProperty(
            volume_type="gp3",
            volume_size=cluster.pcs.root_volume_gib,
            encrypted=True,
            delete_on_termination=True,
        ),
    )
