"""The maximum number of security groups of nodes."""

from __future__ import annotations

from collections.abc import Iterator

from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.cluster_spec.problems import Path, Problem
from clusterwright.cluster_spec.security_groups import (
    MAXIMUM_SECURITY_GROUPS,
    existing_storage_groups,
)


def problems(cluster: Cluster) -> Iterator[Problem]:
    existing = cluster.network.existing
    # A built network has one group for the nodes, and one for Slurm's controller in addition.
    built = 2 if cluster.uses_slurm else 1
    network_groups = len(existing.security_group_ids) if existing is not None else built
    storage_groups = existing_storage_groups(cluster)
    if not storage_groups or network_groups + len(storage_groups) <= MAXIMUM_SECURITY_GROUPS:
        # Too many groups of the network itself exceed the limit of their key.
        return
    paths: list[Path] = [
        ("storage", "lustre", index, "existing", "security_group_id")
        for index, file_system in enumerate(cluster.storage.lustre)
        if file_system.existing is not None
    ]
    home = cluster.storage.home
    if home is not None and home.existing is not None:
        paths.append(("storage", "home", "existing", "security_group_id"))
    yield Problem(
        f"{'the controller' if existing is None and cluster.uses_slurm else 'nodes'} would have "
        f"{network_groups + len(storage_groups)} security groups, including "
        "those of existing file "
        f"systems; HyperPod allows {MAXIMUM_SECURITY_GROUPS}",
        paths[-1],
        hint="share a security group between file systems, or list fewer for the network",
        other_path=("network", "existing", "security_group_ids") if existing is not None else None,
        rests_on=tuple(paths[:-1]),
    )
