"""The journal of a run on one node: killed at any point, the run goes on where it was.

Results count for one start of the machine: a reboot may have changed what they say. A check during
which the machine stopped is run once more; if it stops again, the check has failed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Optional

from clusterwright_common import records

from clusterwright_acceptance.outcome import PASS, SKIPPED, Outcome, from_json

CRASHES_ALLOWED = 1


@dataclass
class Journal:
    """What is known of the current run. `running` is the check that had begun, if any."""

    run: str
    instance_id: Optional[str]
    boot: str
    outcomes: dict[str, Outcome] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)
    running: Optional[str] = None
    crashes: dict[str, int] = field(default_factory=dict)
    started_at: str = ""
    ended_at: Optional[str] = None

    def needs(self, check: str) -> bool:
        """Whether the check has to run: it has no result, or one that is no pass."""
        found = self.outcomes.get(check)
        return found is None or found.verdict not in (PASS, SKIPPED)

    def has_crashed(self, check: str) -> bool:
        return self.crashes.get(check, 0) > CRASHES_ALLOWED


def resumed(
    kept: Mapping[str, Any], run: Optional[str], instance_id: Optional[str], boot: str, now: str
) -> Journal:
    """The journal to go on with: the kept one if it is of the same run, else a new one.

    Without the name of a run (`run` is None) an unfinished run goes on.
    """
    name = run or now
    fresh = Journal(name, instance_id, boot, started_at=now)
    if not _is_same_run(kept, run, instance_id):
        return fresh
    crashes = kept.get("crashes")
    if isinstance(crashes, dict):
        fresh.crashes = {str(key): int(value) for key, value in crashes.items()}
    fresh.run = str(kept.get("run", name))
    if kept.get("boot") != boot:
        stopped_in = kept.get("running")
        if isinstance(stopped_in, str):
            fresh.crashes[stopped_in] = fresh.crashes.get(stopped_in, 0) + 1
        return fresh
    fresh.started_at = str(kept.get("started_at", now))
    rows = kept.get("checks")
    for row in rows if isinstance(rows, list) else []:
        try:
            fresh.outcomes[str(row["id"])] = from_json(row)
            fresh.seconds[str(row["id"])] = float(row.get("seconds", 0.0))
        except (KeyError, TypeError, ValueError):
            continue
    return fresh


def save(path: Path, journal: Journal) -> None:
    """Write the journal. Raises OSError if the disk is full or read-only."""
    records.write(path, to_json(journal))


def to_json(journal: Journal) -> dict[str, Any]:
    return {
        "schema_version": 1,
        "run": journal.run,
        "instance_id": journal.instance_id,
        "boot": journal.boot,
        "running": journal.running,
        "crashes": dict(journal.crashes),
        "started_at": journal.started_at,
        "ended_at": journal.ended_at,
        "checks": [
            {**outcome.to_json(check), "seconds": journal.seconds.get(check, 0.0)}
            for check, outcome in journal.outcomes.items()
        ],
    }


def _is_same_run(kept: Mapping[str, Any], run: Optional[str], instance_id: Optional[str]) -> bool:
    if not kept or kept.get("instance_id") != instance_id:
        return False
    if run is not None:
        return kept.get("run") == run
    return kept.get("ended_at") is None
