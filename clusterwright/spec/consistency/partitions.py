"""Each compute group is in exactly one partition (SlurmConfig takes one name per group)."""

from __future__ import annotations

from collections.abc import Iterator

from clusterwright.spec.models.cluster import Cluster
from clusterwright.spec.problems import Path, Problem
from clusterwright.spec.suggest import did_you_mean


def problems(cluster: Cluster) -> Iterator[Problem]:
    compute = {g.name for g in cluster.compute if g.role == "compute"}
    names = {g.name for g in cluster.compute}
    placed: dict[str, Path] = {}
    seen: dict[str, Path] = {}
    for index, partition in enumerate(cluster.slurm.partitions):
        here = ("slurm", "partitions", index)
        if partition.name.lower() in seen:
            yield Problem(
                f"two partitions are called `{partition.name}`",
                (*here, "name"),
                other_path=seen[partition.name.lower()],
            )
        seen.setdefault(partition.name.lower(), (*here, "name"))
        if partition.name.lower() == "default":
            yield Problem(
                "Slurm keeps the partition name `default` for itself",
                (*here, "name"),
                hint="use `training`",
            )
        for position, group in enumerate(partition.groups):
            path = (*here, "groups", position)
            if group not in names:
                yield Problem(
                    f"no group is called `{group}`",
                    path,
                    hint=did_you_mean(group, sorted(compute)),
                )
            elif group not in compute:
                yield Problem(f"`{group}` is not a compute group", path)
            elif group in placed:
                yield Problem(
                    f"`{group}` is in two partitions; HyperPod takes one per group",
                    path,
                    other_path=placed[group],
                )
            placed.setdefault(group, path)
    for index, item in enumerate(cluster.compute):
        if item.role == "compute" and item.name not in placed:
            yield Problem(f"`{item.name}` is in no partition", ("compute", index, "name"))
    if cluster.slurm.configuration == "managed" and cluster.slurm.topology != "auto":
        yield Problem(
            "in managed mode HyperPod writes the topology itself; "
            f"`{cluster.slurm.topology}` cannot be set",
            ("slurm", "topology"),
            hint="topology: auto, or configuration: scripted",
        )
    if cluster.slurm.configuration == "scripted" and cluster.slurm.strategy is not None:
        yield Problem(
            "strategy belongs to managed mode; scripted mode has no SlurmConfig",
            ("slurm", "strategy"),
            other_path=("slurm", "configuration"),
        )
