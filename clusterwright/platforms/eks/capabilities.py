"""What EKS can do, and what only AWS itself can show: its column of the tables."""

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
"""Where the kinds of capacity are documented."""

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
    "mig": Cell("no", "by hand, with the GPU operator", DESIGN),
    "placement_group": Cell(
        "yes", "in the launch template, except with capacity blocks", CAPACITY_BLOCKS
    ),
    "topology": Cell("unknown", "no source says which network-layer labels nodes carry", DESIGN),
    "custom_image": Cell("yes", "`image.image_id`, built from EKS's", CREATE_NODEGROUP),
    "autoscaling": Cell(
        "yes", "Karpenter, up to each group's `max_count`, as pods wait", KARPENTER
    ),
    "login": Cell("no", "kubectl from outside", CREATE_NODEGROUP),
    "containers": Cell("yes", "every job runs in containers", CREATE_NODEGROUP),
    "accounting": Cell("no", "Kueue counts quotas and keeps no job history", CREATE_NODEGROUP),
    "rolling_update": Cell("yes", "`updateConfig` of each node group", CREATE_NODEGROUP),
    "spares": Cell("yes", "`spare_count` of each group: quotas leave it out", KUEUE_COHORTS),
    "inference": Cell("no", "HyperPod's operator needs a HyperPod cluster", INFERENCE),
    "most_nodes": Cell(
        "yes", "quotas: 450 nodes in a group, 30 groups in a cluster", "EKS quotas"
    ),
    "scheduling": Cell("yes", "Kueue: queues, priorities, borrowing", DESIGN),
    "scaling": Cell("yes", "by a change of the spec, or by Karpenter as pods wait", KARPENTER),
    "access": Cell(
        "yes", "kubectl through access entries; Session Manager to nodes", CREATE_NODEGROUP
    ),
    "monitoring": Cell(
        "yes",
        "Prometheus by AWS's collector, node metrics, the control plane's logs",
        AMP_COLLECTOR,
    ),
}

LIMITATIONS: Final[tuple[str, ...]] = (
    "node groups with capacity blocks, when they start and end",
    "EKS's images with the drivers of NVIDIA, EFA and Neuron",
    "node repair on accelerated nodes",
    "Karpenter: its chart, whether its permissions are sufficient (the documented ones, narrowed, "
    "with those of the key), EFA on nodes that it starts, its handling of EC2's interruption "
    "warnings, instances in a network without IAM's endpoint",
    "upgrades of the control plane",
    "AWS's collector in operation, and the nodes' exporter in its container",
    "Mountpoint for S3 in pods; nodes with a custom image",
)
"""What cannot be tested without AWS, beside `capabilities.LIMITATIONS`."""
