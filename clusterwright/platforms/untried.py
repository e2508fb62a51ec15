"""What of each platform no machine but AWS can try, as data for the documentation."""

from __future__ import annotations

from typing import Final

from clusterwright.platforms.registry import PlatformName

EVERYWHERE: Final = (
    "whether there is capacity of the type in the zone on the day",
    "real limits of throughput: EFA, Lustre, collective operations",
    "IAM's own judgement of every call (the local AWS simulates the policies that are written)",
    "prices, until `cost --live` asks for them",
)
"""Of all four."""

UNTRIED: Final[dict[PlatformName, tuple[str, ...]]] = {
    "hyperpod-slurm": (
        "HyperPod's image: its Slurm, its health agent, its own start-up scripts",
        "deep health checks, and the replacement of a node that fails them",
        "rolling updates of images (`AutoPatchConfig`)",
        "a training plan's start and end",
    ),
    "hyperpod-eks": (
        "HyperPod's image, its health agent and its Helm chart on real nodes",
        "deep health checks and recovery; Karpenter's additions of nodes",
        "partitions of GPUs by the GPU operator",
        "task governance, the training operator and the observability add-on at work",
        "elastic and checkpointless jobs beyond their manifests",
        "the inference operator beyond its add-on, roles and bucket",
        "checkpoints in the nodes' memory",
    ),
    "parallelcluster": (
        "the provider's stack and its Lambda functions beyond the check of the configuration",
        "ParallelCluster's images, its head node, clustermgtd and the replacement of nodes",
        "updates that need the fleet stopped, and how long they take",
        "GPU health checks before jobs",
        "`slurm.topology: tree` through an update of queues, where ParallelCluster removes "
        "topology.conf and a drop-in of slurmctld's puts it back",
    ),
    "eks": (
        "node groups with capacity blocks, when they start and end",
        "EKS's images with the drivers of NVIDIA, EFA and Neuron",
        "node repair on accelerated nodes",
        "Karpenter: its chart, whether its rights are enough (the documented ones, narrowed, with "
        "the key's), EFA on nodes that it starts, its handling of EC2's warnings, instances in a "
        "network without IAM's endpoint",
        "upgrades of the control plane",
        "AWS's collector at work, and the nodes' exporter in its container",
        "Mountpoint for S3 in pods; nodes of an image of one's own",
    ),
}
"""Of one, beside those."""
