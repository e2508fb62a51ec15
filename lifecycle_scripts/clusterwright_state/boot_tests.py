"""Keep what nodes report of their tests at boot, which are comments in Slurm (ParallelCluster)."""

from __future__ import annotations

from pathlib import Path

from clusterwright_common import boot_comment, node_records, records
from clusterwright_common.probe import Probe

from clusterwright_state.records import words

_TIMEOUT_SECONDS = 20.0


def keep(probe: Probe, folder: str) -> list[str]:
    """Keep results that are newer than what is known; return the nodes' names.

    Raises
    ------
    OSError
        A record cannot be written.
    """
    answer = probe.run(["scontrol", "--oneliner", "show", "nodes"], _TIMEOUT_SECONDS)
    kept = []
    for line in answer.stdout.splitlines() if answer.ok else []:
        values = words(line)
        result = boot_comment.read(values.get("Comment", ""))
        if result is None or "NodeName" not in values:
            continue
        name, at = values["NodeName"], str(result["ended_at"])
        known = records.read(node_records.path_of(Path(folder), name))
        if str(known.get("tested_at", "")) >= at:
            continue
        row = {**result, "name": name, "group": str(known.get("group", "")), "boot_id": None}
        run = at.replace("-", "").replace(":", "") + "-boot"
        node_records.keep(Path(folder), row, run, str(result["level"]), at)
        kept.append(name)
    return kept
