"""Acceptance runs that operators request: start them, keep them going, publish what they write.

A run is a process of its own (`clusterwright_acceptance cluster`), which submits jobs to Slurm and
writes below `/var/lib/clusterwright/acceptance`. One run at a time. A run that was killed, also
with this service, is started again and goes on.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Optional

from clusterwright_common import installation, records, waivers
from clusterwright_common.times import seconds_of, stamp

from clusterwright_state.bucket import Bucket

FOLDER = "/var/lib/clusterwright/acceptance"
KEYS = "state/acceptance/"
RECHECK = "-recheck"
"""The end of the names of re-checks, which give way to jobs and to other runs."""
LEVELS = ("quick", "standard", "full")
MOST_ATTEMPTS = 5
MOST_WRITES = 20
"""Objects that one turn writes: a call of the AWS CLI takes about a second."""
SAME_BOOT_SECONDS = 3
"""slurmctld computes BootTime from the uptime that slurmd reports, when it handles the message, so
it can be later than a test at boot. No node boots again this soon after a test.
"""
MOST_RUNS = 20
ENDED = "ended"
"""The file in the folder of a run that says that its report is complete."""


class Runs:
    """The runs of this controller. `folder` is that of the acceptance program."""

    def __init__(self, folder: str = FOLDER) -> None:
        self._folder = Path(folder)
        self._process: Optional[subprocess.Popen[bytes]] = None

    def unfinished(self) -> Optional[str]:
        """The run that has not ended."""
        for path in sorted((self._folder / "wanted").glob("*.json")):
            if not (self._folder / "runs" / path.stem / ENDED).exists():
                return path.stem
        return None

    def busy(self) -> Optional[str]:
        """The run that has not ended and does not give way to another run."""
        run = self.unfinished()
        return None if run is None or run.endswith(RECHECK) else run

    def start(
        self,
        run: str,
        level: str,
        nodes: Sequence[str],
        lustre: Mapping[str, Sequence[int]],
        reserved: Optional[Mapping[str, str]] = None,
    ) -> None:
        """Record a run and start it; a re-check that has not ended stops.

        `reserved` has reservations by node. Raises OSError.
        """
        other = self.unfinished()
        if other is not None and other.endswith(RECHECK):
            self._stop(other, f"stopped: the run {run} was started")
        records.write(
            self._folder / "wanted" / f"{run}.json",
            {
                "schema_version": 1,
                "level": level,
                "nodes": list(nodes),
                "lustre": {path: list(figures) for path, figures in lustre.items()},
                "reserved": dict(reserved or {}),
                "attempts": 0,
            },
        )
        self._forget_old()
        self.keep_going()

    def keep_waivers(self, rows: list[dict[str, Any]], run: str, by: str) -> None:
        """Keep the waivers of a request, for its run and all later ones. Raises OSError."""
        waivers.keep(self._folder, rows, run, by, stamp(time.time()))

    def keep_going(self) -> None:
        """Start the unfinished run if it does not run; after too many attempts it has failed."""
        if self.is_running:
            return
        run = self.unfinished()
        if run is None:
            return
        path = self._folder / "wanted" / f"{run}.json"
        wanted = records.read(path)
        attempts = int(wanted.get("attempts", 0))
        if attempts >= MOST_ATTEMPTS:
            self._give_up(run, wanted)
            return
        records.write(path, {**wanted, "attempts": attempts + 1})
        log = self._folder / "wanted" / f"{run}.log"
        with log.open("ab") as output:
            self._process = subprocess.Popen(
                command(run, wanted),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                env=os.environ,
            )

    @property
    def is_running(self) -> bool:
        """Whether a process of this service writes results now."""
        return self._process is not None and self._process.poll() is None

    def publish(self, bucket: Bucket, *, nodes: bool = True) -> None:
        """Write what changed: reports first, then nodes if they may be. Raises BucketError."""
        path = self._folder / "published.json"
        published = records.read(path)
        left = MOST_WRITES
        kinds = [("runs", "runs/"), *([("nodes", "")] if nodes else [])]
        for folder, prefix in kinds:
            for file in sorted((self._folder / folder).glob("*.json")):
                text = _text(file)
                digest = hashlib.sha256(text.encode()).hexdigest()
                key = f"{KEYS}{prefix}{file.name}"
                if not text or published.get(key) == digest:
                    continue
                if not left:
                    return
                bucket.put(key, json.loads(text))
                left -= 1
                published[key] = digest
                records.write(path, published)

    def states(
        self,
        nodes: Optional[Sequence[Mapping[str, Any]]],
        announced: Optional[Mapping[str, str]] = None,
    ) -> Optional[dict[str, dict[str, Any]]]:
        """The acceptance of the nodes that were tested, by name; None if none was.

        A node that booted after its last test, or has another instance, is new. `announced` are
        the times of boots that nodes announced themselves.
        """
        found: dict[str, dict[str, Any]] = {}
        for node in nodes or ():
            known = self._known(str(node["name"]))
            if not known:
                continue
            state = {
                key: known.get(key) for key in ("state", "reason", "action", "level", "since")
            }
            program = known.get("program")
            instance = node.get("instance_id")
            times = (node.get("boot_time"), (announced or {}).get(str(node["name"])))
            booted = max((str(at) for at in times if at is not None), default=None)
            tested = str(known.get("tested_at"))
            limits = (_later(tested, SAME_BOOT_SECONDS), tested)
            if any(at is not None and str(at) > limit for at, limit in zip(times, limits)) or (
                None not in (instance, known.get("instance_id"))
                and instance != known["instance_id"]
            ):
                reason = f"it started after its last test, {tested}"
                state.update(state="new", reason=reason, action=None, since=booted)
                program = None  # of another boot
            if installation.is_short(program):
                state["program"] = program
            found[str(node["name"])] = state
        return found or None

    def tested_at(self, node: str) -> str:
        """When the node's last test with a result ended; empty before the first."""
        return str(self._known(node).get("tested_at", ""))

    def tested_instance(self, node: str) -> Optional[str]:
        """The instance of that test; None if it is not known."""
        return self._known(node).get("instance_id")

    def has_boot(self, node: str) -> bool:
        """Whether its last result names a boot; that of a node that was lost names none."""
        return self._known(node).get("boot_id") is not None

    def _known(self, node: str) -> dict[str, Any]:
        return records.read(self._folder / "nodes" / f"{node}.json")

    def _report(self, run: str) -> dict[str, Any]:
        path = self._folder / "runs" / f"{run}.json"
        return records.read(path, records.LARGEST_REPORT_BYTES)

    def _stop(self, run: str, reason: str) -> None:
        """End a run; the next one cancels what it has left in Slurm."""
        if self._process is not None and self.is_running:
            self._process.kill()
            self._process.wait()
        self._end(run, records.read(self._folder / "wanted" / f"{run}.json"), "ended", reason)

    def _give_up(self, run: str, wanted: Mapping[str, Any]) -> None:
        lines = _text(self._folder / "wanted" / f"{run}.log").strip().splitlines()
        last = lines[-1][:200] if lines else "it printed nothing"
        reason = f"the program ended {MOST_ATTEMPTS} times without a result: {last}"
        self._end(run, wanted, "failed", reason)

    def _end(self, run: str, wanted: Mapping[str, Any], status: str, reason: str) -> None:
        now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        empty = {"nodes": [], "cluster_checks": [], "suspects": [], "baseline": []}
        records.write(
            self._folder / "runs" / f"{run}.json",
            {
                "schema_version": 1,
                "run": run,
                "level": wanted.get("level"),
                "started_at": now,
                **empty,
                **self._report(run),
                "status": status,
                "reason": reason,
                "ended_at": now,
            },
        )
        records.write(self._folder / "runs" / run / ENDED, {"at": now})

    def _forget_old(self) -> None:
        """Remove the oldest runs; names begin with their time."""
        runs = sorted((self._folder / "wanted").glob("*.json"))
        for path in runs[:-MOST_RUNS]:
            shutil.rmtree(self._folder / "runs" / path.stem, ignore_errors=True)
            report = self._folder / "runs" / f"{path.stem}.json"
            for file in (report, path, path.with_suffix(".log")):
                file.unlink(missing_ok=True)


def command(run: str, wanted: Mapping[str, Any]) -> list[str]:
    """The command line of a run."""
    words = [sys.executable, "-B", "-m", "clusterwright_acceptance", "cluster"]
    words += [f"--run={run}", f"--level={wanted.get('level')}"]
    words += ["--gives-way"] if run.endswith(RECHECK) else []
    words += [f"--node={node}" for node in wanted.get("nodes", ())]
    for node, reservation in sorted(dict(wanted.get("reserved", {})).items()):
        words.append(f"--reserved={node}={reservation}")
    for path, (capacity, tier) in sorted(dict(wanted.get("lustre", {})).items()):
        words.append(f"--lustre={path}={capacity},{tier}")
    return words


def _later(at: str, seconds: int) -> str:
    """A time in the form of the records, some seconds later; one that has no time stays."""
    moment = seconds_of(at)
    return at if moment is None else stamp(moment + seconds)


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
