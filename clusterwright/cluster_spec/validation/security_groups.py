"""Nodes carry no more security groups than HyperPod gives them."""

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
    own = len(existing.security_group_ids) if existing is not None else 1
    theirs = existing_storage_groups(cluster)
    if not theirs or own + len(theirs) <= MAXIMUM_SECURITY_GROUPS:
        # Too many of the network's own are refused where they are written.
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
        f"nodes would carry {own + len(theirs)} security groups, those of the file systems that "
        f"exist included; HyperPod takes {MAXIMUM_SECURITY_GROUPS}",
        paths[-1],
        hint="let file systems share a group, or give the network fewer",
        other_path=("network", "existing", "security_group_ids") if existing is not None else None,
        rests_on=tuple(paths[:-1]),
    )
