"""Each compute group is in exactly one partition (SlurmConfig takes one name per group)."""

from __future__ import annotations

from collections.abc import Iterator

from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.cluster_spec.problems import Path, Problem
from clusterwright.cluster_spec.suggest import did_you_mean

RESERVED_NAME = "default"
"""Slurm's slurm.conf: `PartitionName=DEFAULT` sets defaults and names no partition."""


def problems(cluster: Cluster) -> Iterator[Problem]:
    yield from _names(cluster)
    yield from _members(cluster)
    placed = {group for partition in cluster.slurm.partitions for group in partition.groups}
    for index, item in enumerate(cluster.compute):
        if item.role == "compute" and item.name not in placed:
            yield Problem(
                f"`{item.name}` is not in a partition",
                ("compute", index, "name"),
                other_path=("slurm", "partitions"),
                rests_on=(("compute", index, "role"),),
            )


def _names(cluster: Cluster) -> Iterator[Problem]:
    seen: dict[str, Path] = {}
    for index, partition in enumerate(cluster.slurm.partitions):
        path: Path = ("slurm", "partitions", index, "name")
        # Partition names are not case-sensitive.
        name = partition.name.lower()
        if name in seen:
            yield Problem(f"duplicate partition `{partition.name}`", path, other_path=seen[name])
        seen.setdefault(name, path)
        if name == RESERVED_NAME:
            yield Problem(
                f"the partition name `{RESERVED_NAME}` is reserved by Slurm",
                path,
                hint="use `training`",
            )


def _members(cluster: Cluster) -> Iterator[Problem]:
    index_of = {group.name: index for index, group in enumerate(cluster.compute)}
    names: tuple[Path, ...] = tuple(("compute", i, "name") for i in index_of.values())
    compute = [group.name for group in cluster.compute if group.role == "compute"]
    placed: dict[str, Path] = {}
    for index, partition in enumerate(cluster.slurm.partitions):
        for position, group in enumerate(partition.groups):
            path: Path = ("slurm", "partitions", index, "groups", position)
            if group not in index_of:
                yield Problem(
                    f"group `{group}` does not exist",
                    path,
                    hint=did_you_mean(group, sorted(compute)),
                    rests_on=(("compute",), *names),
                )
            elif group not in compute:
                role = ("compute", index_of[group], "role")
                yield Problem(f"`{group}` is not a compute group", path, other_path=role)
            elif group in placed:
                same = placed[group][:3] == path[:3]
                twice = "listed twice" if same else "in two partitions; a group can be in only one"
                yield Problem(f"`{group}` is {twice}", path, other_path=placed[group])
            placed.setdefault(group, path)
