"""Capabilities of AWS PCS, and what cannot be tested without AWS: its column of the tables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from clusterwright.platforms.cells import DESIGN, INFERENCE, Cell

PCS_API: Final = "botocore 1.44.5, AWS PCS"
PCS_GUIDE: Final = "AWS PCS user guide (read 2026-11)"
SBATCH_REQUEUE: Final = "Slurm, sbatch: --requeue and --no-requeue"

CAPACITY_SOURCE: Final = "botocore 1.44.5, PCS CreateComputeNodeGroup"
"""Source of the kinds of capacity."""

CELLS: Final[Mapping[str, Cell]] = {
    "scheduler": Cell("yes", "Slurm, whose controller AWS runs", PCS_API),
    "recovery": Cell(
        "in part", "instances that fail or whose lifecycle action fails are replaced", PCS_GUIDE
    ),
    "auto_resume": Cell("in part", "Slurm requeues the whole job", SBATCH_REQUEUE),
    "deep_health_checks": Cell(
        "in part", "our acceptance tests, by `accept`; none of AWS", DESIGN
    ),
    "spot": Cell("yes", "`purchaseOption: SPOT` of each group", PCS_API),
    "mig": Cell("no", "no field in the API, and no lifecycle step", PCS_API),
    "placement_group": Cell("yes", "in the launch template, except with capacity blocks", PCS_API),
    "topology": Cell(
        "unknown", "whether the managed controller knows one is not documented", PCS_GUIDE
    ),
    "custom_image": Cell(
        "yes", "`image.image_id`, with PCS's agent and Slurm installed", PCS_GUIDE
    ),
    "autoscaling": Cell("yes", "between a group's minimum and maximum, for pending jobs", PCS_API),
    "login": Cell("yes", "groups with the role login, in no queue", PCS_GUIDE),
    "containers": Cell("in part", "Enroot and Pyxis from a mirror, or in a custom image", DESIGN),
    "accounting": Cell("yes", "managed slurmdbd, or none; no database of yours", PCS_API),
    "rolling_update": Cell(
        "yes", "changed groups replace each instance after its jobs", PCS_GUIDE
    ),
    "spares": Cell("in part", "free instances of a reservation or a capacity block", DESIGN),
    "inference": Cell("no", "AWS provides no operator for Slurm", INFERENCE),
    "most_nodes": Cell(
        "yes", "2,048 instances in a LARGE cluster; 10 groups and 10 queues", PCS_API
    ),
    "scheduling": Cell(
        "in part", "queues, QOS, fair share, preemption, by the settings that PCS allows", PCS_API
    ),
    "scaling": Cell("yes", "by a change of the spec, or dynamic nodes for pending jobs", PCS_API),
    "access": Cell("yes", "Session Manager or ssh to the login nodes", PCS_GUIDE),
    "monitoring": Cell("yes", "CloudWatch, node metrics, a Prometheus workspace", DESIGN),
}

LIMITATIONS: Final[tuple[str, ...]] = (
    "PCS's controller and its agent: registration, scaling, the handling of failed lifecycle "
    "actions",
    "PCS's images, and how they find the controller",
    "updates of the Slurm version of a cluster that runs jobs",
    "managed accounting: its cost, and what it keeps",
    "capacity blocks on PCS, when they start and end",
)
"""What cannot be tested without AWS, in addition to `capabilities.LIMITATIONS`."""
