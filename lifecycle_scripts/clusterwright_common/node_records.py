"""What is known of a node's acceptance, `nodes/NODE.json` below the program's folder.

Written by the controller: from its own runs, and from what nodes report of tests at boot.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from clusterwright_common import records

SCHEMA_VERSION = 1
MOST_HISTORY = 50


def path_of(folder: Path, node: str) -> Path:
    return folder / "nodes" / f"{node}.json"


def of_boot(folder: Path, result: Mapping[str, Any]) -> dict[str, Any]:
    """What is known of a node's instance and boot, which are those of a result; else empty."""
    known = records.read(path_of(folder, str(result["name"])))
    same = all(known.get(key) == result.get(key) for key in ("instance_id", "boot_id"))
    return known if same else {}


def keep(folder: Path, result: Mapping[str, Any], run: str, level: str, now: str) -> None:
    """Add a result to what is known of a node. Raises OSError."""
    path = path_of(folder, str(result["name"]))
    before = records.read(path)
    same = before.get("state") == result["verdict"] and before.get("instance_id") == result.get(
        "instance_id"
    )
    entry = {
        "run": run,
        "at": now,
        "level": level,
        "verdict": result["verdict"],
        "reason": result["reason"],
        "action": result["action"],
        "instance_id": result.get("instance_id"),
    }
    history = [row for row in before.get("history", ()) if row.get("run") != run]
    records.write(
        path,
        {
            "schema_version": SCHEMA_VERSION,
            "name": result["name"],
            "group": result["group"],
            "instance_id": result.get("instance_id"),
            "boot_id": result.get("boot_id"),
            "state": result["verdict"],
            "reason": result["reason"],
            "action": result["action"],
            "level": level,
            "tested_at": now,
            "program": result.get("program"),
            "since": before["since"] if same and "since" in before else now,
            "history": [*history, entry][-MOST_HISTORY:],
        },
    )
