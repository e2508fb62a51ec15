"""Keep jobs from nodes until they are accepted, by a reservation, and start their acceptance.

A node is held that has no accepted test of this instance and boot, and so is one that does not
respond: it may come back as another boot. A node announces each boot by a drain with the reason
`NEW` before its slurmd registers (`acceptance_hold` of the node program); it is resumed when the
reservation has it, and counts as new whatever was recorded before. Users cannot use the
reservation; jobs that run when it is made continue.

Source: scontrol(1), "RESERVATIONS": IGNORE_JOBS reserves nodes whose jobs continue, OVERLAP nodes
of another reservation.
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Optional

from clusterwright_common import records, waiting
from clusterwright_common.probe import Probe
from clusterwright_common.times import stamp

from clusterwright_state.acceptance import Runs
from clusterwright_state.reservations import reservation_words
from clusterwright_state.slurm_view import AWAY, TAKES_NO_JOB

RESERVATION = "clusterwright_acceptance"
NEW = "clusterwright acceptance: new"
"""The reason of the drain with which a node announces a boot."""
AGAIN_SECONDS = 1800.0
"""After this time a node that was not accepted is tested again, so that a repair opens it."""
RETRY_SECONDS = 60.0
"""After this time a node is tested again whose checks gave no result, such as one on which the
node program was still being installed."""
FORMER_SECONDS = 600.0
"""After this time slurmctld has missed a former instance: SlurmdTimeout is 300 s by default."""
_GONE = AWAY - {"DOWN"}
"""slurmctld leaves a node DOWN that it has missed for SlurmdTimeout, also when it responds again:
ReturnToService=1 needs the reason `Not responding`, in place of which it has ours (slurm.conf(5)).
"""
_FLAGS = "IGNORE_JOBS,OVERLAP"
_TIMEOUT_SECONDS = 20.0


class Hold:
    """The hold of this controller. `folder` is that of the acceptance program."""

    def __init__(self, folder: str, level: str, runs: Runs) -> None:
        self._path = Path(folder) / "hold.json"
        self._level = level
        self._runs = runs
        self._listed: dict[tuple[str, str], float] = {}
        self._cancelled: dict[str, str] = {}

    def announced(self) -> dict[str, str]:
        """The time of the last announced boot, by node: earlier tests do not count."""
        found = records.read(self._path).get("announced")
        return dict(found) if isinstance(found, dict) else {}

    def keep(
        self,
        probe: Probe,
        nodes: Sequence[Mapping[str, Any]],
        reservations: Sequence[Mapping[str, Any]],
    ) -> list[dict[str, Any]]:
        """Reserve, resume and test what has to be; return what was changed, for the log.

        Raises
        ------
        OSError
            A record cannot be written; nothing was opened then.
        """
        members = [node for node in nodes if "FUTURE" not in node["states"]]
        announced = self._note_announcements(members)
        states = self._runs.states(members, announced) or {}
        held = held_nodes(members, states)
        before = next((list(r["nodes"]) for r in reservations if r["name"] == RESERVATION), [])
        changes = []
        error = None
        if sorted(before) != held:
            words = reservation_words(RESERVATION, before, held, _FLAGS)
            answer = probe.run(["scontrol", *words], _TIMEOUT_SECONDS)
            error = None if answer.ok else answer.summary
            change: dict[str, Any] = {"before": sorted(before), "after": held}
            changes.append(change if error is None else {**change, "error": error})
        # Resumed nodes would take jobs if they were not in the reservation.
        reserved = before if error is not None else held
        booted = [
            node["name"]
            for node in members
            if _announces(node) and node["name"] in reserved and not _GONE & {*node["states"]}
        ]
        if booted:
            # Drained nodes start no job, so each test is of the boot before.
            changes += self._cancel_tests(probe, booted)
        for name in booted:
            words = ["update", f"NodeName={name}", "State=RESUME"]
            answer = probe.run(["scontrol", *words], _TIMEOUT_SECONDS)
            change = {"resumed": name}
            changes.append(change if answer.ok else {**change, "error": answer.summary})
        nodes = [node for node in members if node["name"] in reserved]
        return changes + self._test(probe, nodes, states, announced)

    def _has_started(self, node: Mapping[str, Any], announced: Optional[str]) -> bool:
        """False while slurmctld shows the slurmd of an instance that this one replaces.

        That one has announced no boot since the test of the former instance, and started before
        the test ended, or long before HyperPod's list had the new instance. Whether a new slurmd
        registers before or after that is unknown.
        """
        name, instance, start = node["name"], node["instance_id"], node["slurmd_start_time"]
        tested = self._runs.tested_instance(name)
        if None in (instance, start, tested) or instance == tested:
            return True
        now, tested_at = time.time(), self._runs.tested_at(name)
        listed = self._listed.setdefault((name, instance), now)
        if (announced or "") >= tested_at or now - listed >= FORMER_SECONDS:
            return True
        return bool(start > max(tested_at, stamp(listed - FORMER_SECONDS)))

    def _cancel_tests(self, probe: Probe, nodes: Sequence[str]) -> list[dict[str, Any]]:
        """Cancel the tests of boots that are over; return what failed.

        Their srun would wait for minutes until it misses the node, and there is one run at a time.
        """
        if self._runs.busy() is None:
            return []
        words = [f"--user={os.getuid()}", f"--name={waiting.ACCEPTANCE_JOB}"]
        command = ["scancel", "--quiet", *words, f"--nodelist={','.join(nodes)}"]
        answer = probe.run(command, _TIMEOUT_SECONDS)
        return [] if answer.ok else [{"cancelled": list(nodes), "error": answer.summary}]

    def _note_announcements(self, nodes: Sequence[Mapping[str, Any]]) -> dict[str, str]:
        """Record the boots that nodes announce; return `announced()`."""
        content = records.read(self._path)
        announced = self.announced()
        for node in nodes:
            if _announces(node) and node["reason_at"]:
                announced[node["name"]] = str(node["reason_at"])
        if announced != content.get("announced", {}):
            records.write(self._path, {**content, "schema_version": 1, "announced": announced})
        return announced

    def _cancel_tests_of_former(
        self,
        probe: Probe,
        nodes: Sequence[Mapping[str, Any]],
        tried: Mapping[str, str],
        instances: Mapping[str, str],
    ) -> list[dict[str, Any]]:
        """Cancel each test of an instance that was replaced since the hold started it.

        The boot need not have been announced: a node that is drained keeps the reason. A slurmd
        that has started before the test runs it, and after a restart it continues to.
        """
        former = [
            node["name"]
            for node in nodes
            if self._is_another(node, instances.get(node["name"]))
            and (node["slurmd_start_time"] or "") > tried[node["name"]]
            and self._cancelled.get(node["name"]) != tried[node["name"]]
        ]
        failed = self._cancel_tests(probe, former) if former else []
        if not failed:
            self._cancelled.update({name: tried[name] for name in former})
        return failed

    def _test(
        self,
        probe: Probe,
        nodes: Sequence[Mapping[str, Any]],
        states: Mapping[str, Any],
        announced: Mapping[str, str],
    ) -> list[dict[str, Any]]:
        """Start a run for nodes that can take its job, one run at a time; return what failed."""
        # Of accepted nodes the record is not read again: looks are frequent.
        started = [
            node
            for node in nodes
            if states.get(node["name"], {}).get("state") != "accepted"
            and self._has_started(node, announced.get(node["name"]))
        ]
        content, now = records.read(self._path), time.time()
        tried = {str(name): str(at) for name, at in dict(content.get("tried", {})).items()}
        instances = dict(content.get("instances", {}))
        if self._runs.busy() is not None:
            return self._cancel_tests_of_former(probe, started, tried, instances)
        wanted = [
            node["name"]
            for node in started
            if "IDLE" in node["states"]
            and node["partitions"]  # otherwise no job of a test starts there
            and not TAKES_NO_JOB.intersection(node["states"])
            and (
                self._is_another(node, instances.get(node["name"]))
                or self._is_due(
                    node,
                    states.get(node["name"], {}).get("state", "new"),
                    announced.get(node["name"]),
                    tried.get(node["name"]),
                    now,
                )
            )
        ]
        if not wanted:
            return []
        at = stamp(now)
        tried.update(dict.fromkeys(wanted, at))
        instances.update(
            {
                node["name"]: node["instance_id"]
                for node in nodes
                if node["name"] in wanted and node["instance_id"] is not None
            }
        )
        changed = {"tried": tried, "instances": instances}
        records.write(self._path, {**content, "schema_version": 1, **changed})
        run = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime(now)) + "-hold"
        self._runs.start(run, self._level, wanted, {}, dict.fromkeys(wanted, RESERVATION))
        return []

    def _is_another(self, node: Mapping[str, Any], tried: Optional[str]) -> bool:
        """Whether the instance has replaced the one of the hold's last test, and is not tested.

        Its boot need not have been announced: a node that is drained keeps the reason.
        """
        name, instance = node["name"], node["instance_id"]
        known = (tried, self._runs.tested_instance(name))
        return None not in (instance, tried) and instance not in known

    def _is_due(
        self,
        node: Mapping[str, Any],
        state: str,
        announced: Optional[str],
        tried: Optional[str],
        now: float,
    ) -> bool:
        """Whether to test a node: `tried` is when the hold has started its last test."""
        tested = self._runs.tested_at(node["name"])
        # An operator's run tests the node too: what it found is not asked again at once.
        last = max(tried or "", "" if state == "new" else tested)
        if last <= stamp(now - AGAIN_SECONDS):
            return True
        if tried is not None and tested < tried <= stamp(now - RETRY_SECONDS):
            return True
        if tried is None and not self._runs.has_boot(node["name"]):
            # A former controller has lost the node, and may have heard of its next boot.
            return True
        return any(at is not None and at >= last for at in (node["boot_time"], announced))


def held_nodes(nodes: Sequence[Mapping[str, Any]], states: Mapping[str, Any]) -> list[str]:
    """The nodes that take no jobs: not accepted, announced as new, or away."""
    return sorted(
        node["name"]
        for node in nodes
        if states.get(node["name"], {}).get("state") != "accepted"
        or _announces(node)
        or AWAY.intersection(node["states"])
    )


def _announces(node: Mapping[str, Any]) -> bool:
    return "DRAIN" in node["states"] and str(node["reason"]).startswith(NEW)
