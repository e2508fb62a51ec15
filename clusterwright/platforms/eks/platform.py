"""Traits of `eks`."""

from __future__ import annotations

from typing import Final

from clusterwright.platforms.capacity_kinds import EC2_KINDS, EC2_REFUSES
from clusterwright.platforms.traits import Platform

PLATFORM: Final = Platform(
    name="eks",
    title="EKS",
    scheduler="kubernetes",
    node_service="ec2",
    sections=("kubernetes", "acceptance"),
    node_principal="eks.amazonaws.com",
    capacity_kinds=EC2_KINDS,
    refused_capacity=EC2_REFUSES,
    placement_groups=True,
    managed_node_groups=True,
    node_names="ip-....compute.internal",
    starts_instances="the node group",
    node_addresses="vpc-cni",
    node_type_source="vpc-cni",
    autoscaling_key=("kubernetes", "autoscaling"),
    autoscaling_note=(
        "`count` nodes are in managed node groups and always run; Karpenter, a chart you install, "
        "adds nodes up to max_count"
    ),
    karpenter_in_cluster=True,
    charts=frozenset(
        {
            "kueue",
            "nvidia-device-plugin",
            "aws-efa-k8s-device-plugin",
            "neuron-helm-chart",
            "karpenter",
        }
    ),
    renders=frozenset({"kubernetes"}),
)
