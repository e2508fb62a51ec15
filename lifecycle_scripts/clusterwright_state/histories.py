"""The histories of Slurm's nodes (`clusterwright_common.histories`), and what follows from them.

Drains count only if the health check or HyperPod's health agent wants a reset, a reboot or another
instance.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Optional

from clusterwright_common import histories, lemon, records
from clusterwright_common.histories import Look
from clusterwright_common.lemon import Advice
from clusterwright_common.probe import Probe
from clusterwright_common.times import seconds_of

MARK = "clusterwright: "
"""The prefix of the health check's reasons (`clusterwright_health.slurm_node`)."""
_AGENT = {"Action:Reboot": "reboot", "Action:Replace": "replace"}
_REMEDY = re.compile(r"\((reset|reboot|replace)\)")
_ADVICE = "; replace: "
_REBOOTED_SECONDS = 120.0
"""slurmd computes the boot time from the uptime: it varies by a second or two."""
_NOT_AVAILABLE = frozenset({"DRAIN", "DOWN", "FAIL"})


class Histories:
    """The histories of this cluster's nodes. `folder` is that of the acceptance program."""

    def __init__(self, folder: str) -> None:
        self._folder = Path(folder)
        self._book = lemon.load(self._folder / lemon.FILE)
        self._seen: dict[str, dict[str, Any]] = {
            str(name): dict(one)
            for name, one in records.read(self._folder / "seen.json").items()
            if isinstance(one, dict)
        }

    def note(self, nodes: Sequence[Mapping[str, Any]], now: float) -> None:
        """Add what happened since the last look. Raises OSError."""
        looks = [self._look(node) for node in nodes if node.get("instance_id")]
        book, seen = histories.noted(
            self._book, self._seen, looks, now, count=len(nodes), has_rebooted=_has_rebooted
        )
        if book != self._book:
            lemon.save(self._folder / lemon.FILE, book)
            self._book = book
        # A node that slurmctld does not show for a moment keeps what was seen.
        merged = {**self._seen, **seen}
        if merged != self._seen:
            records.write(self._folder / "seen.json", dict(merged))
            self._seen = merged

    def advice(self, node: Mapping[str, Any], wanted: str, now: float) -> Advice:
        """The action for a faulty node, where `wanted` is that of the fault alone."""
        return lemon.advise(self._book, str(node["name"]), str(node["instance_id"]), now, wanted)

    def published(
        self,
        nodes: Sequence[Mapping[str, Any]],
        states: Optional[Mapping[str, Mapping[str, Any]]],
        now: float,
    ) -> Optional[dict[str, dict[str, Any]]]:
        """The histories of the instances that exist, by node; None if nothing happened."""
        found = {}
        for node in nodes:
            name, instance = str(node["name"]), str(node.get("instance_id"))
            if (name, instance) not in self._book:
                continue
            wanted = wanted_of(node, (states or {}).get(name))
            past = histories.published(self._book, name, instance, wanted, now)
            if past is not None:
                found[name] = past
        return found or None

    def advise_states(
        self,
        nodes: Sequence[Mapping[str, Any]],
        states: Optional[Mapping[str, Mapping[str, Any]]],
        now: float,
    ) -> Optional[dict[str, dict[str, Any]]]:
        """The nodes' acceptance, with replace instead of reboot where the history says so."""
        if states is None:
            return None
        found = {name: dict(state) for name, state in states.items()}
        for node in nodes:
            state = found.get(str(node["name"]))
            if state is None or state["state"] != "rejected" or state["action"] != "reboot":
                continue
            if node.get("instance_id"):
                advice = self.advice(node, "reboot", now)
                if advice.action == "replace":
                    reason = f"{state['reason']}{_ADVICE}{advice.reason}"
                    state.update(action="replace", reason=reason)
        return found

    def mark(
        self, probe: Probe, nodes: Sequence[Mapping[str, Any]], now: float
    ) -> list[dict[str, Any]]:
        """Say in Slurm's reason that a drained node is to be replaced, not rebooted.

        The health check's text stays at the start: it recognizes its reason, and resumes the node
        when the fault is gone.
        """
        changes = []
        for node in nodes:
            reason = str(node.get("reason") or "")
            # HyperPod compares the reasons of its health agent exactly: they stay as they are.
            if not reason.startswith(MARK) or _ADVICE in reason or not node.get("instance_id"):
                continue
            if _remedy(node) in (None, "replace"):
                continue
            advice = self.advice(node, "reboot", now)
            if advice.action != "replace":
                continue
            text = f"{reason}{_ADVICE}{advice.reason}"
            words = ["update", f"NodeName={node['name']}", f"Reason={text}"]
            answer = probe.run(["scontrol", *words], 20.0)
            change = {"node": node["name"], "reason": text}
            changes.append(change if answer.ok else {**change, "error": answer.summary})
        return changes

    def _look(self, node: Mapping[str, Any]) -> Look:
        own = records.read(self._folder / "nodes" / f"{node['name']}.json")
        reason = str(node.get("reason") or "")
        return Look(
            name=str(node["name"]),
            instance_id=str(node["instance_id"]),
            boot=node["boot_time"],
            remedy=_remedy(node),
            kind="xid" if reason.startswith(f"{MARK}xid") else "drained",
            reason=reason,
            is_available=not _NOT_AVAILABLE.intersection(node["states"]),
            is_lost="DOWN" in node["states"] and reason.startswith("Not responding"),
            test=_last_test(own, node),
        )


def wanted_of(node: Mapping[str, Any], state: Optional[Mapping[str, Any]]) -> Optional[str]:
    """The action for the fault that a node has now, by the fault alone; None without one."""
    return histories.wanted_of(_remedy(node), state)


def _remedy(node: Mapping[str, Any]) -> Optional[str]:
    """What the health check or HyperPod's agent wants for a drained node."""
    reason = str(node.get("reason") or "")
    if not _NOT_AVAILABLE.intersection(node["states"]):
        return None
    if reason in _AGENT:
        return _AGENT[reason]
    found = _REMEDY.search(reason) if reason.startswith(MARK) else None
    return found.group(1) if found else None


def _last_test(own: Mapping[str, Any], node: Mapping[str, Any]) -> Mapping[str, Any]:
    """The last test of this instance."""
    rows = own.get("history")
    last = rows[-1] if isinstance(rows, list) and rows and isinstance(rows[-1], dict) else {}
    return last if last.get("instance_id") in (None, node["instance_id"]) else {}


def _has_rebooted(before: str, now: str) -> bool:
    first, second = seconds_of(before), seconds_of(now)
    return first is not None and second is not None and second - first > _REBOOTED_SECONDS
