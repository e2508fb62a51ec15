"""One of two configures Slurm, HyperPod or our script, and each has keys of its own."""

from __future__ import annotations

from collections.abc import Iterator

from clusterwright.spec.models.cluster import Cluster
from clusterwright.spec.problems import Problem


def problems(cluster: Cluster) -> Iterator[Problem]:
    slurm = cluster.slurm
    if slurm.configuration == "managed" and slurm.topology != "auto":
        yield Problem(
            "in managed mode HyperPod writes the topology itself; "
            f"`{slurm.topology}` cannot be set",
            ("slurm", "topology"),
            hint="topology: auto, or configuration: scripted",
            other_path=("slurm", "configuration"),
        )
    if slurm.configuration == "scripted" and slurm.strategy is not None:
        yield Problem(
            "strategy belongs to managed mode; scripted mode has no SlurmConfig",
            ("slurm", "strategy"),
            other_path=("slurm", "configuration"),
        )
