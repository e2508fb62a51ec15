"""Capabilities of ParallelCluster, and what cannot be tested without AWS: its column."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from clusterwright.platforms.cells import DESIGN, INFERENCE, Cell

PCLUSTER_SCHEMA: Final = "aws-parallelcluster 3.16.1, schemas/cluster_schema.py"
PCLUSTER_VALIDATORS: Final = "aws-parallelcluster 3.16.1, validators"
PCLUSTER_NODE: Final = "aws-parallelcluster-node, clustermgtd: unhealthy static nodes are replaced"
SBATCH_REQUEUE: Final = "Slurm, sbatch: --requeue and --no-requeue"

CAPACITY_SOURCE: Final = PCLUSTER_SCHEMA
"""Source of the kinds of capacity."""

CELLS: Final[Mapping[str, Cell]] = {
    "scheduler": Cell("yes", "Slurm", PCLUSTER_SCHEMA),
    "recovery": Cell(
        "in part", "automatic for nodes that Slurm or EC2 reports as unhealthy", PCLUSTER_NODE
    ),
    "auto_resume": Cell("in part", "Slurm requeues the whole job", SBATCH_REQUEUE),
    "deep_health_checks": Cell(
        "in part", "a GPU check before each job (`HealthChecks.Gpu`)", PCLUSTER_SCHEMA
    ),
    "spot": Cell("yes", "`CapacityType: SPOT` of each queue", PCLUSTER_SCHEMA),
    "mig": Cell("no", "no key; manually in a custom action", PCLUSTER_SCHEMA),
    "placement_group": Cell("yes", "one per group, except with capacity blocks", PCLUSTER_SCHEMA),
    "topology": Cell(
        "yes",
        "topology/block of p6e-gb200, written by ParallelCluster; topology/tree, written by "
        "a lifecycle step",
        PCLUSTER_SCHEMA,
    ),
    "custom_image": Cell("yes", "`Image.CustomAmi`, of the same release", PCLUSTER_SCHEMA),
    "autoscaling": Cell(
        "yes", "between a queue's minimum and maximum, for pending jobs", PCLUSTER_SCHEMA
    ),
    "login": Cell("yes", "pools of login nodes", PCLUSTER_SCHEMA),
    "containers": Cell(
        "in part", "Enroot and Pyxis are in the image, disabled by default", PCLUSTER_SCHEMA
    ),
    "accounting": Cell("yes", "slurmdbd, with an external database", PCLUSTER_SCHEMA),
    "rolling_update": Cell(
        "in part", "queues drain or stop first (`QueueUpdateStrategy`)", PCLUSTER_SCHEMA
    ),
    "spares": Cell("in part", "free instances of a reservation or a capacity block", DESIGN),
    "inference": Cell("no", "AWS provides no operator for Slurm", INFERENCE),
    "most_nodes": Cell(
        "yes", "50 queues and 50 compute resources in a cluster", PCLUSTER_VALIDATORS
    ),
    "scheduling": Cell("yes", "queues, QOS, fair share, preemption of Slurm", PCLUSTER_SCHEMA),
    "scaling": Cell(
        "yes", "by a change of the spec, or dynamic nodes for pending jobs", PCLUSTER_SCHEMA
    ),
    "access": Cell("yes", "Session Manager or ssh to the head and login nodes", PCLUSTER_SCHEMA),
    "monitoring": Cell(
        "yes", "CloudWatch logs, alarms and dashboard of ParallelCluster", PCLUSTER_SCHEMA
    ),
}

LIMITATIONS: Final[tuple[str, ...]] = (
    "the provider's stack and its Lambda functions beyond the check of the configuration",
    "ParallelCluster's images, its head node, clustermgtd and the replacement of nodes",
    "updates that require a stopped fleet, and their duration",
    "GPU health checks before jobs",
    "`slurm.topology: tree` during an update of queues, where ParallelCluster removes "
    "topology.conf and a drop-in of slurmctld restores it",
)
"""What cannot be tested without AWS, in addition to `capabilities.LIMITATIONS`."""
