"""Create groups and users with the UIDs and GIDs of the spec.

A UID or GID that already belongs to another name is an error, never renumbered: files on shared
storage have the number, and with another number on one node users cannot access their files.
"""

from __future__ import annotations

from dataclasses import dataclass

from clusterwright_node.contract import User
from clusterwright_node.errors import StepError
from clusterwright_node.machine import failure_of
from clusterwright_node.node import APPLIES, SATISFIED, Node, Verdict, missing, skip

AFTER = ("home", "lustre")
DEADLINE_SECONDS = 300
# useradd fails while a package manager or HyperPod's agent holds /etc/passwd's lock.
RETRIES = 10

_SHELL = "/bin/bash"
_NOT_FOUND = 2  # getent's exit code when a key does not exist


@dataclass(frozen=True)
class _Account:
    name: str
    uid: int
    gid: int
    home: str


@dataclass(frozen=True)
class _Group:
    name: str
    gid: int
    members: tuple[str, ...]


def applies(node: Node) -> Verdict:
    cluster = node.inputs.cluster
    return APPLIES if cluster.users or cluster.user_groups else skip("the spec has no users")


def check(node: Node) -> Verdict:
    to_do = _plan(node)
    return SATISFIED if not to_do else missing("; ".join(" ".join(argv) for argv in to_do))


def apply(node: Node) -> None:
    for argv in _plan(node):
        node.machine.change(*argv)


def _plan(node: Node) -> list[tuple[str, ...]]:
    """The required commands, groups first. Raises StepError with all conflicts at
    once.
    """
    cluster = node.inputs.cluster
    wanted_groups = {group.name: group.gid for group in cluster.user_groups}
    for user in cluster.users:
        if user.gid not in wanted_groups.values():
            wanted_groups[user.name] = user.gid
    groups = _groups(node, wanted_groups)
    accounts = _accounts(node, cluster.users)
    clashes: list[str] = []
    plan: list[tuple[str, ...]] = []
    for name, gid in wanted_groups.items():
        plan.extend(_plan_group(name, gid, groups, clashes))
    for user in cluster.users:
        plan.extend(_plan_user(node, user, accounts, groups, clashes))
    if clashes:
        raise StepError(
            "; ".join(clashes),
            "choose other numbers in the users file, or remove the users or groups that have them",
        )
    return plan


def _plan_group(
    name: str, gid: int, groups: list[_Group], clashes: list[str]
) -> list[tuple[str, ...]]:
    named = next((group for group in groups if group.name == name), None)
    numbered = next((group for group in groups if group.gid == gid), None)
    if named is not None and named.gid != gid:
        clashes.append(f"group {name} has GID {named.gid}, expected {gid}")
    elif numbered is not None and numbered.name != name:
        clashes.append(f"GID {gid} of group {name} belongs to group {numbered.name}")
    elif named is None:
        return [("groupadd", "--gid", str(gid), name)]
    return []


def _plan_user(
    node: Node, user: User, accounts: list[_Account], groups: list[_Group], clashes: list[str]
) -> list[tuple[str, ...]]:
    home = "{}/{}".format(node.inputs.cluster.home_base.rstrip("/"), user.name)
    named = next((account for account in accounts if account.name == user.name), None)
    numbered = next((account for account in accounts if account.uid == user.uid), None)
    if named is not None and named.uid != user.uid:
        clashes.append(f"user {user.name} has UID {named.uid}, expected {user.uid}")
        return []
    if numbered is not None and numbered.name != user.name:
        clashes.append(f"UID {user.uid} of user {user.name} belongs to user {numbered.name}")
        return []
    if named is None:
        # user_homes creates the directory: useradd has race conditions between nodes on a shared
        # file system.
        argv = ["useradd", "--uid", str(user.uid), "--gid", str(user.gid), "--no-create-home"]
        argv += ["--home-dir", home, "--shell", _SHELL]
        if user.groups:
            argv += ["--groups", ",".join(user.groups)]
        return [(*argv, user.name)]
    changes: list[str] = []
    if named.gid != user.gid:
        changes += ["--gid", str(user.gid)]
    if named.home != home:
        changes += ["--home", home]
    managed = {group.name for group in node.inputs.cluster.user_groups}
    have = {group.name for group in groups if user.name in group.members}
    plan: list[tuple[str, ...]] = []
    lacking = [name for name in user.groups if name not in have]
    if lacking:
        changes += ["--append", "--groups", ",".join(lacking)]
    if changes:
        plan.append(("usermod", *changes, user.name))
    # Only groups of the spec: a user keeps the groups of the image.
    for name in sorted((have & managed) - set(user.groups)):
        plan.append(("gpasswd", "--delete", user.name, name))
    return plan


def _accounts(node: Node, users: tuple[User, ...]) -> list[_Account]:
    keys = [key for user in users for key in (user.name, str(user.uid))]
    found: dict[str, _Account] = {}
    for fields in _getent(node, "passwd", keys, 7):
        found[fields[0]] = _Account(fields[0], int(fields[2]), int(fields[3]), fields[5])
    return list(found.values())


def _groups(node: Node, wanted: dict[str, int]) -> list[_Group]:
    keys = [key for name, gid in wanted.items() for key in (name, str(gid))]
    found: dict[str, _Group] = {}
    for fields in _getent(node, "group", keys, 4):
        members = tuple(name for name in fields[3].split(",") if name)
        found[fields[0]] = _Group(fields[0], int(fields[2]), members)
    return list(found.values())


def _getent(node: Node, database: str, keys: list[str], count: int) -> list[list[str]]:
    if not keys:
        return []
    result = node.machine.query("getent", database, *keys)
    if result.returncode not in (0, _NOT_FOUND):
        raise failure_of(result)
    rows = [line.split(":") for line in result.stdout.splitlines()]
    return [row for row in rows if len(row) == count]
