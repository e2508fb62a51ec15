"""Systemd units: their names, files and states."""

from __future__ import annotations

from collections.abc import Sequence

from clusterwright_node.errors import CommandError
from clusterwright_node.node import Node

UNIT_FOLDER = "/etc/systemd/system"
RUNS = ("active", "reloading")
"""States of a unit whose program runs; slurmctld is `reloading` while it reads its files."""
_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789:_.")


def escaped(path: str) -> str:
    r"""`path` as systemd-escape --path writes it: /opt/dlami-x becomes opt-dlami\\x2dx."""
    parts = [part for part in path.split("/") if part]
    if not parts:
        return "-"
    joined = "-".join("".join(_escaped_letter(letter) for letter in part) for part in parts)
    return "\\x2e" + joined[1:] if joined.startswith(".") else joined


def unit_path(unit: str) -> str:
    return f"{UNIT_FOLDER}/{unit}"


def properties(node: Node, unit: str, names: Sequence[str]) -> dict[str, str]:
    """Properties of a unit; for one that does not exist LoadState is not-found."""
    result = node.machine.query("systemctl", "show", unit, "--property=" + ",".join(names))
    pairs = (line.split("=", 1) for line in result.stdout.splitlines() if "=" in line)
    return {pair[0]: pair[1] for pair in pairs}


def is_active(node: Node, unit: str) -> bool:
    return properties(node, unit, ("ActiveState",)).get("ActiveState") in RUNS


def exists(node: Node, unit: str) -> bool:
    return properties(node, unit, ("LoadState",)).get("LoadState") == "loaded"


def is_enabled_and_active(node: Node, unit: str) -> bool:
    """Whether the unit is active, enabled, and loaded from its current files."""
    found = properties(node, unit, ("ActiveState", "UnitFileState", "NeedDaemonReload"))
    return (
        found.get("ActiveState") in RUNS
        and found.get("UnitFileState") == "enabled"
        and found.get("NeedDaemonReload", "no") == "no"
    )


def has_unit(node: Node, unit: str, text: str) -> bool:
    """Whether the unit file has this text, and the unit is active and enabled."""
    return node.machine.read_text(unit_path(unit)) == text and is_enabled_and_active(node, unit)


def install_unit(node: Node, unit: str, text: str, timeout_seconds: float = 300.0) -> None:
    """Write a unit, enable it, which reloads systemd, and start it."""
    if node.machine.read_text(unit_path(unit)) != text:
        node.machine.write_text(unit_path(unit), text)
    # Always: an earlier run may have been killed between the file and the reload. It reloads as
    # `daemon-reload` does even if the unit is enabled already (systemctl(1)).
    node.machine.change("systemctl", "enable", unit)
    start(node, unit, timeout_seconds)


def start(node: Node, unit: str, timeout_seconds: float = 300.0) -> None:
    """Start a unit. Raises CommandError with the end of the unit's journal, which systemctl does
    not print.
    """
    _run(node, "start", unit, timeout_seconds)


def _run(node: Node, verb: str, unit: str, timeout_seconds: float) -> None:
    try:
        node.machine.change("systemctl", verb, unit, timeout_seconds=timeout_seconds)
    except CommandError as error:
        result = node.machine.query(
            "journalctl", "--unit", unit, "--lines=5", "--no-pager", "--output=cat"
        )
        raise CommandError(f"{error.cause}; its journal: {result.said}", error.hint) from None


def restart(node: Node, unit: str) -> None:
    """As `start`, for a unit that runs and must read its files again."""
    _run(node, "restart", unit, 300.0)


def stop_before_change(node: Node, unit: str) -> None:
    """Stop a unit that runs, before its program changes.

    Otherwise it would continue with the old program. Call it before anything is written, so that
    an interrupted run is visible.
    """
    if node.machine.read_text(unit_path(unit)) is not None and is_active(node, unit):
        node.machine.change("systemctl", "stop", unit)


def ensure(node: Node, unit: str) -> None:
    """Start and enable a unit."""
    if not is_enabled_and_active(node, unit):
        node.machine.change("systemctl", "enable", unit)
        start(node, unit)


def mount_unit(
    description: str, what: str, where: str, kind: str, options: str, unit_lines: str, target: str
) -> str:
    """The text of a mount unit. It is wanted, not required, by `target`: a lost disk must not stop
    the boot.
    """
    return (
        "# Written by clusterwright_node.\n"
        f"[Unit]\nDescription={description}\n{unit_lines}\n"
        f"[Mount]\nWhat={what}\nWhere={where}\nType={kind}\nOptions={options}\nTimeoutSec=120\n\n"
        f"[Install]\nWantedBy={target}\n"
    )


def _escaped_letter(letter: str) -> str:
    if letter in _PLAIN:
        return letter
    return "".join(f"\\x{byte:02x}" for byte in letter.encode())
