"""Capabilities of EKS, and what cannot be tested without AWS: its column of the tables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from clusterwright.platforms.cells import CAPACITY_BLOCKS, DESIGN, INFERENCE, KUEUE_COHORTS, Cell

KARPENTER: Final = "aws/karpenter-provider-aws, documentation of v1.14"
CREATE_NODEGROUP: Final = "botocore 1.44.5, EKS CreateNodegroup"
NODE_REPAIR: Final = "EKS user guide, Automatically repair nodes in EKS clusters (read 2026)"
AMP_COLLECTOR: Final = (
    'AMP user guide, "Set up managed collectors for Amazon EKS"; this product\'s design'
)

CAPACITY_SOURCE: Final = CREATE_NODEGROUP
"""Source of the kinds of capacity."""

CELLS: Final[Mapping[str, Cell]] = {
    "scheduler": Cell("yes", "Kubernetes on EKS", CREATE_NODEGROUP),
    "recovery": Cell(
        "in part", "automatic where node repair is on, in node groups and Karpenter", NODE_REPAIR
    ),
    "auto_resume": Cell(
        "in part", "the job's operator restarts its pods (`max_restarts`)", DESIGN
    ),
    "deep_health_checks": Cell(
        "in part", "the node monitoring agent reports faults; no stress test", NODE_REPAIR
    ),
    "spot": Cell("yes", "`capacityType: SPOT` of each node group", CREATE_NODEGROUP),
    "mig": Cell("no", "manually, with the GPU operator", DESIGN),
    "placement_group": Cell(
        "yes", "in the launch template, except with capacity blocks", CAPACITY_BLOCKS
    ),
    "topology": Cell("unknown", "no source documents network-layer labels of nodes", DESIGN),
    "custom_image": Cell("yes", "`image.image_id`, built from an EKS image", CREATE_NODEGROUP),
    "autoscaling": Cell(
        "yes", "Karpenter, up to each group's `max_count`, for pending pods", KARPENTER
    ),
    "login": Cell("no", "kubectl, from outside the cluster", CREATE_NODEGROUP),
    "containers": Cell("yes", "every job runs in containers", CREATE_NODEGROUP),
    "accounting": Cell("no", "Kueue enforces quotas but keeps no job history", CREATE_NODEGROUP),
    "rolling_update": Cell("yes", "`updateConfig` of each node group", CREATE_NODEGROUP),
    "spares": Cell("yes", "`spare_count` of each group: quotas leave it out", KUEUE_COHORTS),
    "inference": Cell("no", "HyperPod's operator needs a HyperPod cluster", INFERENCE),
    "most_nodes": Cell(
        "yes", "quotas: 450 nodes in a group, 30 groups in a cluster", "EKS quotas"
    ),
    "scheduling": Cell("yes", "Kueue: queues, priorities, borrowing", DESIGN),
    "scaling": Cell("yes", "by a change of the spec, or by Karpenter for pending pods", KARPENTER),
    "access": Cell(
        "yes", "kubectl through access entries; Session Manager to nodes", CREATE_NODEGROUP
    ),
    "monitoring": Cell(
        "yes",
        "Prometheus with AWS's collector, node metrics, logs of the control plane",
        AMP_COLLECTOR,
    ),
}

LIMITATIONS: Final[tuple[str, ...]] = (
    "node groups with capacity blocks, when they start and end",
    "EKS's images with the drivers of NVIDIA, EFA and Neuron",
    "node repair on accelerated nodes",
    "Karpenter: its chart, whether its permissions are sufficient (the documented ones, "
    "restricted, and those for the key), EFA on nodes that it launches, its handling of EC2's "
    "interruption notices, instances in a network without an endpoint of IAM",
    "upgrades of the control plane",
    "AWS's collector in operation, and the nodes' exporter in its container",
    "Mountpoint for S3 in pods; nodes with a custom image",
)
"""What cannot be tested without AWS, in addition to `capabilities.LIMITATIONS`."""
