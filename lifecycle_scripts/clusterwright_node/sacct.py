"""Slurm's accounting database as sacctmgr shows and changes it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from clusterwright_node.errors import StepError
from clusterwright_node.node import Node

NO_LIMIT = -1


def rows(node: Node, *question: str) -> list[list[str]] | None:
    """The rows of `sacctmgr show ...`; None when the database does not answer."""
    if not node.machine.has_command("sacctmgr"):
        raise StepError("the image has no sacctmgr", "use a HyperPod image")
    result = node.machine.query(
        "sacctmgr", "--noheader", "--parsable2", "show", *question, timeout_seconds=30.0
    )
    if not result.ok:
        return None
    return [line.split("|") for line in result.stdout.splitlines() if line.strip()]


def add(kind: str, name: str, *words: str) -> tuple[str, ...]:
    return ("sacctmgr", "--immediate", "add", kind, name, *words)


def modify(kind: str, where: Sequence[str], changes: Sequence[str]) -> tuple[str, ...]:
    return ("sacctmgr", "--immediate", "modify", kind, "where", *where, "set", *changes)


def node_limit(text: str) -> int:
    """`cpu=4,node=12` gives 12; without nodes, NO_LIMIT."""
    match = re.search(r"(?:^|,)node=(\d+)", text)
    return int(match.group(1)) if match else NO_LIMIT


def seconds(text: str) -> int:
    """`1-02:03:04`, `02:03:04` or `03:04` in seconds; nothing is NO_LIMIT."""
    match = re.match(r"(?:(\d+)-)?(?:(\d+):)?(\d+):(\d+)$", text)
    if match is None:
        return NO_LIMIT
    days, hours, minutes, rest = (int(part or 0) for part in match.groups())
    return ((days * 24 + hours) * 60 + minutes) * 60 + rest


def names(text: str) -> set[str]:
    """A list with commas."""
    return {name for name in text.split(",") if name}
