"""Users and groups: unique names and ids, as in the node program."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.cluster_spec.problems import Path, Problem
from clusterwright.cluster_spec.suggest import did_you_mean

IMAGE_NAMES = frozenset(
    (
        "root",
        "daemon",
        "nobody",
        "nogroup",
        "ubuntu",
        "slurm",
        "munge",
        "sudo",
        "docker",
        "ssm-user",
    )
)
"""Users and groups of the image."""


def problems(cluster: Cluster) -> Iterator[Problem]:
    users = list(enumerate(cluster.slurm.users))
    groups = list(enumerate(cluster.slurm.user_groups))
    here: Path = ("slurm", "users")
    there: Path = ("slurm", "user_groups")
    yield from _unique("user", (((*here, i, "name"), u.name) for i, u in users))
    yield from _unique("group", (((*there, i, "name"), g.name) for i, g in groups))
    yield from _unique("uid", (((*here, i, "uid"), u.uid) for i, u in users))
    yield from _unique("gid", (((*there, i, "gid"), g.gid) for i, g in groups))
    for path, name in [
        *(((*here, i, "name"), u.name) for i, u in users),
        *(((*there, i, "name"), g.name) for i, g in groups),
    ]:
        if name in IMAGE_NAMES:
            yield Problem(f"`{name}` is reserved by the image", path)
    for index, name in enumerate(cluster.slurm.metadata_service_users):
        people = {user.name: i for i, user in users}
        if name in people:
            yield Problem(
                f"`{name}` is a user; only accounts of services may use the node's role",
                ("slurm", "metadata_service_users", index),
                hint="jobs have a role of their own (docs/how-to/use-s3-in-jobs.md); `sudo: true` "
                "makes a user an administrator",
                other_path=(*here, people[name], "name"),
            )
    yield from _memberships(cluster)
    yield from _primary_groups(cluster)


def _unique(what: str, values: Iterable[tuple[Path, object]]) -> Iterator[Problem]:
    first: dict[object, Path] = {}
    for path, value in values:
        if value in first:
            shown = f"`{value}`" if isinstance(value, str) else str(value)
            yield Problem(f"duplicate {what} {shown}", path, other_path=first[value])
        first.setdefault(value, path)


def _memberships(cluster: Cluster) -> Iterator[Problem]:
    names = [group.name for group in cluster.slurm.user_groups]
    for index, user in enumerate(cluster.slurm.users):
        for position, group in enumerate(user.groups):
            path = ("slurm", "users", index, "groups", position)
            if group not in names:
                near = did_you_mean(group, names)
                yield Problem(
                    f"group `{group}` does not exist",
                    path,
                    hint=near or f"add it to user_groups: {{name: {group}, gid: ...}}",
                    other_path=("slurm", "user_groups"),
                )
            elif group in user.groups[:position]:
                yield Problem(f"`{group}` is listed twice", path)


def _primary_groups(cluster: Cluster) -> Iterator[Problem]:
    """A user whose gid has no group gets a group with the user's name, which must be unused."""
    gids = {group.gid for group in cluster.slurm.user_groups}
    names = {g.name: i for i, g in enumerate(cluster.slurm.user_groups)}
    private: dict[int, Path] = {}
    for index, user in enumerate(cluster.slurm.users):
        gid = user.uid if user.gid is None else user.gid
        path: Path = ("slurm", "users", index, "uid" if user.gid is None else "gid")
        if gid in gids:
            continue
        if gid in private:
            yield Problem(
                f"the primary group {gid} is the private group of another user",
                path,
                hint=f"define a shared group in user_groups: {{name: ..., gid: {gid}}}",
                other_path=private[gid],
            )
        elif user.name in names:
            yield Problem(
                f"user_groups has a group `{user.name}` with another gid than {gid}",
                path,
                other_path=("slurm", "user_groups", names[user.name], "gid"),
            )
        private.setdefault(gid, path)
