"""The maximum number of security groups of nodes."""

from __future__ import annotations

from collections.abc import Iterator

from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.cluster_spec.problems import Path, Problem
from clusterwright.cluster_spec.security_groups import (
    MAXIMUM_SECURITY_GROUPS,
    existing_storage_groups,
    network_groups,
)


def problems(cluster: Cluster) -> Iterator[Problem]:
    existing = cluster.network.existing
    storage_groups = existing_storage_groups(cluster)
    count = network_groups(cluster) + len(storage_groups)
    if not storage_groups or count <= MAXIMUM_SECURITY_GROUPS:
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
    who = "the controller" if existing is None and cluster.uses_slurm else "nodes"
    yield Problem(
        f"{who} would have {count} security groups, including those of existing file systems; "
        f"HyperPod allows {MAXIMUM_SECURITY_GROUPS}",
        paths[-1],
        hint="share a security group between file systems, or list fewer for the network",
        other_path=("network", "existing", "security_group_ids") if existing is not None else None,
        rests_on=tuple(paths[:-1]),
    )
