"""Keep what nodes report of their tests at boot, which are comments in Slurm."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from clusterwright_common import boot_comment, node_records, records
from clusterwright_common.probe import Probe
from clusterwright_common.scontrol import words

_TIMEOUT_SECONDS = 20.0


def keep(probe: Probe, folder: str) -> list[str]:
    """Keep results that are newer than what is known; return the nodes' names,
    once for each result.

    Raises
    ------
    OSError
        A record cannot be written.
    """
    answer = probe.run(["scontrol", "--oneliner", "show", "nodes"], _TIMEOUT_SECONDS)
    kept = []
    for line in answer.stdout.splitlines() if answer.ok else []:
        values = words(line)
        for result in boot_comment.read(values.get("Comment", "")):
            if "NodeName" in values and _keep(Path(folder), values["NodeName"], result):
                kept.append(values["NodeName"])
    return kept


def _keep(folder: Path, name: str, result: Mapping[str, Any]) -> bool:
    """Whether the result is newer than what is known."""
    at = str(result["ended_at"])
    known = records.read(node_records.path_of(folder, name))
    if str(known.get("tested_at", "")) >= at:
        return False
    row = {**result, "name": name, "group": str(known.get("group", "")), "boot_id": None}
    run = at.replace("-", "").replace(":", "") + "-boot"
    node_records.keep(folder, row, run, str(result["level"]), at)
    return True
