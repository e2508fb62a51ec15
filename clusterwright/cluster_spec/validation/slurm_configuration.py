"""Keys that require one of the modes of `slurm.configuration`."""

from __future__ import annotations

from collections.abc import Iterator

from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.cluster_spec.problems import Problem


def problems(cluster: Cluster) -> Iterator[Problem]:
    if not cluster.on_hyperpod:
        return
    slurm = cluster.slurm
    if slurm.configuration == "managed" and slurm.topology != "auto":
        yield Problem(
            f"in managed mode HyperPod configures the topology; `{slurm.topology}` cannot be set",
            ("slurm", "topology"),
            hint="topology: auto, or configuration: scripted",
            other_path=("slurm", "configuration"),
        )
    if slurm.configuration == "scripted" and slurm.strategy is not None:
        yield Problem(
            "strategy requires managed mode; scripted mode has no SlurmConfig",
            ("slurm", "strategy"),
            other_path=("slurm", "configuration"),
        )
    continuous = cluster.resilience.node_provisioning == "continuous"
    if slurm.configuration == "managed" and slurm.strategy is not None and continuous:
        # SageMaker developer guide, continuous provisioning with Slurm: "Passing any
        # SlurmConfigStrategy value results in an API error."
        yield Problem(
            "HyperPod does not support strategy with continuous provisioning",
            ("slurm", "strategy"),
            hint="resilience: {node_provisioning: all-at-once}, or omit the strategy",
            other_path=("resilience", "node_provisioning"),
        )
    if slurm.configuration == "scripted" and continuous:
        # The same page: continuous provisioning needs a SlurmConfig in every instance group.
        yield Problem(
            "scripted mode requires that all nodes start at once",
            ("resilience", "node_provisioning"),
            hint="node_provisioning: all-at-once, or slurm: {configuration: managed}",
            other_path=("slurm", "configuration"),
        )
