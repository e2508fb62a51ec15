"""Users: one name, one uid, one gid."""

from __future__ import annotations

from collections.abc import Iterator

from clusterwright.spec.models.cluster import Cluster
from clusterwright.spec.problems import Path, Problem


def problems(cluster: Cluster) -> Iterator[Problem]:
    names: dict[str, Path] = {}
    uids: dict[int, Path] = {}
    for index, user in enumerate(cluster.slurm.users):
        here: Path = ("slurm", "users", index)
        if user.name in ("root", "ubuntu", "slurm", "nobody", "munge"):
            yield Problem(f"`{user.name}` belongs to the node's image", (*here, "name"))
        if user.name in names:
            yield Problem(f"two users are called `{user.name}`", (*here, "name"), other_path=names[user.name])
        if user.uid in uids:
            yield Problem(
                f"uid {user.uid} is given twice: the two would own each other's files",
                (*here, "uid"),
                other_path=uids[user.uid],
            )
        names.setdefault(user.name, (*here, "name"))
        uids.setdefault(user.uid, (*here, "uid"))
