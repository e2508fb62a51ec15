"""Mounts, and whether they are writable."""

from __future__ import annotations

import json
from dataclasses import dataclass

from clusterwright_node.errors import CommandError, StepError
from clusterwright_node.machine import failure_of
from clusterwright_node.node import Node


@dataclass(frozen=True)
class Mount:
    """One line of findmnt."""

    target: str
    source: str
    kind: str
    options: str

    @property
    def is_read_only(self) -> bool:
        return "ro" in self.options.split(",")


def mounts(node: Node) -> list[Mount]:
    """All mounts, in the kernel's order. findmnt reads /proc and so does not wait for a file
    system.
    """
    result = node.machine.query(
        "findmnt", "--json", "--list", "--output", "TARGET,SOURCE,FSTYPE,OPTIONS"
    )
    if not result.ok:
        raise failure_of(result)
    try:
        rows = json.loads(result.stdout)["filesystems"]
        return [
            Mount(row["target"], row["source"] or "", row["fstype"] or "", row["options"] or "")
            for row in rows
        ]
    except (ValueError, KeyError, TypeError) as error:
        raise StepError(
            f"the JSON of findmnt is not valid: {error!r}", "use a HyperPod image"
        ) from None


def mount_at(node: Node, path: str) -> Mount | None:
    """The last mount at `path` itself, which hides earlier ones. An automount is not a
    mount yet.
    """
    found = [mount for mount in mounts(node) if mount.target == path]
    return found[-1] if found and found[-1].kind != "autofs" else None


def is_automounted(node: Node, path: str) -> bool:
    """Whether systemd mounts `path` on access."""
    return any(mount.target == path and mount.kind == "autofs" for mount in mounts(node))


def wake_automount(node: Node, path: str) -> None:
    """Access `path`, so that systemd mounts it."""
    node.machine.query("ls", str(node.machine.path(path)) + "/.", timeout_seconds=60.0)


def why_not_writable(node: Node, path: str) -> str | None:
    """None if a file can be created at `path`, else the reason. In a separate process, as a mount
    can hang.
    """
    # With the node's name, as nodes share the file system.
    probe = f"{node.machine.path(path)}/.clusterwright-probe-{node.identity.instance_id}"
    try:
        made = node.machine.query("touch", probe, timeout_seconds=30.0)
        removed = node.machine.query("rm", "-f", probe, timeout_seconds=30.0)
    except CommandError as error:
        return f"{path} does not respond: {error.cause}"
    failed = made if not made.ok else removed
    return None if failed.ok else f"{path} cannot be written: {failed.said}"
