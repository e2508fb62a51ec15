"""Test accepted idle nodes again, at the lowest priority, with `acceptance.recheck_hours`.

A run starts only while no job waits for nodes, on at most half of the idle nodes, and stops by
itself within seconds when a job waits (`clusterwright_acceptance.giving_way`).
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Optional

from clusterwright_common import records, waiting
from clusterwright_common.probe import Probe
from clusterwright_common.times import stamp

from clusterwright_state.acceptance import RECHECK, Runs
from clusterwright_state.hold import TAKES_NO_JOB

RETRY_SECONDS = 600.0
"""After this time a node is tested again whose run stopped because a job waited."""
SHARE = 0.5
"""Of the idle nodes at once: the others take a job without any wait."""


class Rechecks:
    """The re-checks of this controller. `folder` is that of the acceptance program."""

    def __init__(self, folder: str, level: str, hours: int, runs: Runs) -> None:
        self._folder = Path(folder)
        self._level = level
        self._seconds = 3600.0 * hours
        self._runs = runs

    def start(
        self,
        probe: Probe,
        nodes: Sequence[Mapping[str, Any]],
        states: Optional[Mapping[str, Mapping[str, Any]]],
        reserved: Mapping[str, str],
    ) -> list[str]:
        """Start a run if one is due; return its nodes.

        Parameters
        ----------
        states:
            The nodes' acceptance; only accepted nodes are tested.
        reserved:
            The reservations that the service may use, by node; nodes of others are left alone.

        Raises
        ------
        OSError
            A record cannot be written.
        """
        if self._runs.unfinished() is not None:
            return []
        idle = [node for node in nodes if self._is_free(node, reserved)]
        now = time.time()
        tried = dict(records.read(self._folder / "rechecks.json").get("tried", {}))
        due = [
            str(node["name"])
            for node in idle
            if (states or {}).get(str(node["name"]), {}).get("state") == "accepted"
            and self._is_due(str(node["name"]), str(tried.get(node["name"], "")), now)
        ]
        most = max(1, int(SHARE * len(idle)))
        due = sorted(due, key=self._tested_at)[:most]
        if not due or waiting.job_that_waits(probe) is not None:
            return []
        tried.update(dict.fromkeys(due, stamp(now)))
        records.write(self._folder / "rechecks.json", {"schema_version": 1, "tried": tried})
        run = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime(now)) + RECHECK
        mine = {name: reserved[name] for name in due if name in reserved}
        self._runs.start(run, self._level, due, {}, mine)
        return due

    def _is_free(self, node: Mapping[str, Any], reserved: Mapping[str, str]) -> bool:
        return (
            "IDLE" in node["states"]
            and not TAKES_NO_JOB.intersection(node["states"])
            and (node["reservation"] is None or node["name"] in reserved)
        )

    def _is_due(self, name: str, tried: str, now: float) -> bool:
        return self._tested_at(name) <= stamp(now - self._seconds) and tried <= stamp(
            now - RETRY_SECONDS
        )

    def _tested_at(self, name: str) -> str:
        return str(records.read(self._folder / "nodes" / f"{name}.json").get("tested_at", ""))
