"""Capabilities of HyperPod with Slurm, and what cannot be tested without AWS: its column."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from clusterwright.platforms.cells import CREATE_CLUSTER, DESIGN, INFERENCE, Cell
from clusterwright.platforms.hyperpod_slurm.platform import PLATFORM

CONTINUOUS_PROVISIONING: Final = (
    "SageMaker developer guide, continuous provisioning (read 2026-09..11)"
)
AUTO_RESUME_SLURM: Final = (
    "SageMaker developer guide, automatic node recovery and auto-resume (read 2026-09..11)"
)

CAPACITY_SOURCE: Final = CREATE_CLUSTER
"""Source of the kinds of capacity."""

CELLS: Final[Mapping[str, Cell]] = {
    "scheduler": Cell("yes", "Slurm", CREATE_CLUSTER),
    "recovery": Cell(
        "yes",
        "automatic: HyperPod reboots or replaces; `resilience.node_recovery`",
        CREATE_CLUSTER,
    ),
    "auto_resume": Cell(
        "yes", "`srun --auto-resume=1`, after HyperPod has replaced the node", AUTO_RESUME_SLURM
    ),
    "deep_health_checks": Cell("yes", "at start: stress and connectivity", CREATE_CLUSTER),
    "spot": Cell("yes", "`CapacityRequirements.Spot` of each group", CREATE_CLUSTER),
    "mig": Cell("no", "no field in the API, and no lifecycle step", CREATE_CLUSTER),
    "placement_group": Cell("no", PLATFORM.placement_group_reason, CREATE_CLUSTER),
    "topology": Cell(
        "yes", "topology/tree or topology/block, written by HyperPod", CREATE_CLUSTER
    ),
    "custom_image": Cell("yes", "`image.image_id`, built from a HyperPod image", CREATE_CLUSTER),
    "autoscaling": Cell("no", "groups have a fixed count", CREATE_CLUSTER),
    "login": Cell("yes", "groups with the role login", CREATE_CLUSTER),
    "containers": Cell("yes", "Enroot and Pyxis, from the image or a mirror", DESIGN),
    "accounting": Cell(
        "yes", "slurmdbd, with a database on the controller or an external one", CREATE_CLUSTER
    ),
    "rolling_update": Cell("yes", "`AutoPatchConfig`, `UpdateClusterSoftware`", CREATE_CLUSTER),
    "spares": Cell("yes", "`spare_count` of each group", DESIGN),
    "inference": Cell("no", "AWS provides no operator for Slurm", INFERENCE),
    "most_nodes": Cell("yes", "6,758 instances in a group, 100 groups", CREATE_CLUSTER),
    "scheduling": Cell("yes", "partitions, QOS, fair share, preemption of Slurm", DESIGN),
    "scaling": Cell(
        "in part",
        "by a change of the spec; missing nodes join when capacity is available",
        CONTINUOUS_PROVISIONING,
    ),
    "access": Cell("yes", "Session Manager to nodes, ssh between nodes", CREATE_CLUSTER),
    "monitoring": Cell("yes", "CloudWatch, node metrics, a Prometheus workspace", DESIGN),
}

LIMITATIONS: Final[tuple[str, ...]] = (
    "HyperPod's image: its Slurm, its health agent, its own start-up scripts",
    "deep health checks, and the replacement of a node that fails them",
    "rolling updates of images (`AutoPatchConfig`)",
    "a training plan's start and end",
)
"""What cannot be tested without AWS, in addition to `capabilities.LIMITATIONS`."""
