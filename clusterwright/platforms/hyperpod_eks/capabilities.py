"""Capabilities of HyperPod with EKS, and what cannot be tested without AWS: its column."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from clusterwright.platforms.cells import CREATE_CLUSTER, INFERENCE, KUEUE_COHORTS, Cell
from clusterwright.platforms.hyperpod_eks.platform import PLATFORM

AUTO_RESUME_EKS: Final = "SageMaker developer guide, Running jobs using kubectl (read 2026-09..11)"

CAPACITY_SOURCE: Final = CREATE_CLUSTER
"""Source of the kinds of capacity."""

CELLS: Final[Mapping[str, Cell]] = {
    "scheduler": Cell("yes", "Kubernetes on EKS", CREATE_CLUSTER),
    "recovery": Cell(
        "yes",
        "automatic: HyperPod reboots or replaces; `resilience.node_recovery`",
        CREATE_CLUSTER,
    ),
    "auto_resume": Cell(
        "yes",
        "PyTorchJob: annotations that `render kubernetes` writes; HyperPodPyTorchJob: operator",
        AUTO_RESUME_EKS,
    ),
    "deep_health_checks": Cell("yes", "at start: stress and connectivity", CREATE_CLUSTER),
    "spot": Cell("yes", "`CapacityRequirements.Spot` of each group", CREATE_CLUSTER),
    "mig": Cell("yes", "a label per group; the GPU operator partitions", "platforms/mig.py"),
    "placement_group": Cell("no", PLATFORM.placement_group_reason, CREATE_CLUSTER),
    "topology": Cell("yes", "labels `topology.k8s.aws/network-node-layer-N`", CREATE_CLUSTER),
    "custom_image": Cell("yes", "`image.image_id`, built from a HyperPod image", CREATE_CLUSTER),
    "autoscaling": Cell("yes", "HyperPod's Karpenter (`AutoScaling`)", CREATE_CLUSTER),
    "login": Cell("no", "kubectl, from outside the cluster", CREATE_CLUSTER),
    "containers": Cell("yes", "every job runs in containers", CREATE_CLUSTER),
    "accounting": Cell(
        "no", "task governance enforces quotas but keeps no job history", CREATE_CLUSTER
    ),
    "rolling_update": Cell("yes", "`AutoPatchConfig`, `UpdateClusterSoftware`", CREATE_CLUSTER),
    "spares": Cell("yes", "`spare_count` of each group: quotas leave it out", KUEUE_COHORTS),
    "inference": Cell("yes", "HyperPod's inference operator (`hyperpod.inference`)", INFERENCE),
    "most_nodes": Cell("yes", "6,758 instances in a group, 100 groups", CREATE_CLUSTER),
    "scheduling": Cell(
        "yes", "task governance, or Kueue: queues, priorities, borrowing", CREATE_CLUSTER
    ),
    "scaling": Cell(
        "yes", "by a change of the spec, or by Karpenter for pending pods", CREATE_CLUSTER
    ),
    "access": Cell(
        "yes", "kubectl through access entries; Session Manager to nodes", CREATE_CLUSTER
    ),
    "monitoring": Cell(
        "yes", "CloudWatch, HyperPod's observability add-on, Prometheus", CREATE_CLUSTER
    ),
}

LIMITATIONS: Final[tuple[str, ...]] = (
    "HyperPod's image, its health agent and its Helm chart on real nodes",
    "deep health checks and recovery; nodes that Karpenter adds",
    "GPU partitions made by the GPU operator",
    "task governance, the training operator and the observability add-on in operation",
    "elastic and checkpointless jobs beyond their manifests",
    "the inference operator beyond its add-on, roles and bucket",
    "checkpoints in node memory",
)
"""What cannot be tested without AWS, in addition to `capabilities.LIMITATIONS`."""
