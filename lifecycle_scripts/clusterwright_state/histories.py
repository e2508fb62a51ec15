"""Keep the faults of each instance over weeks, and say which node is to be replaced.

A fault is counted once a day and kind. Drains count only if the health check or HyperPod's health
agent wants a reset, a reboot or another instance, and rejections only with such an action: a file
system that is away, or versions that differ, say nothing of the instance. A fault of many nodes at
once has a common cause and is not counted either. The rules are in `clusterwright_common.lemon`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Optional

from clusterwright_common import lemon, records
from clusterwright_common.lemon import Advice, Happening
from clusterwright_common.probe import Probe

from clusterwright_state.times import seconds_of, stamp

SHOWN_EVENTS = 10
COMMON_NODES, COMMON_SHARE = 3, 0.25
"""Our rule: faults of one kind of this many nodes, and this share of all, at one look."""
MARK = "clusterwright: "
"""The prefix of the health check's reasons (`clusterwright_health.slurm_node`)."""
_AGENT = {"Action:Reboot": "reboot", "Action:Replace": "replace"}
_REMEDY = re.compile(r"\((reset|reboot|replace)\)")
_ADVICE = "; replace: "
_REBOOTED_SECONDS = 120.0
"""slurmd computes the boot time from the uptime: it varies by a second or two."""
_DAY = 86_400.0
_DECISIVE = (*lemon.FAULTS, "rebooted")
_ACTIONS = ("check", "reboot", "replace")


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
        faults: list[tuple[Mapping[str, Any], Happening]] = []
        others: list[tuple[Mapping[str, Any], Happening]] = []
        seen = {}
        for node in nodes:
            if not node.get("instance_id"):
                continue
            name = str(node["name"])
            before = self._seen.get(name, {})
            if before.get("instance_id") != node["instance_id"]:
                before = {}
            own = records.read(self._folder / "nodes" / f"{name}.json")
            seen[name] = _looked_at(node, own, before)
            for one in _happened(node, own, before, now):
                (faults if one.kind in lemon.FAULTS else others).append((node, one))
        book = self._book
        for node, one in [*others, *_single(faults, len(nodes))]:
            book = _added(book, node, one)
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
            events = lemon.history(self._book, str(node["name"]), str(node.get("instance_id")))
            if not events:
                continue
            wanted = wanted_of(node, (states or {}).get(str(node["name"])))
            advice = self.advice(node, wanted or "none", now)
            if wanted is None and not advice.is_lemon:
                advice = Advice("none", False, "")
            found[str(node["name"])] = {
                "instance_id": node["instance_id"],
                "is_lemon": advice.is_lemon,
                "advice": advice.action,
                "reason": advice.reason,
                "events": [
                    {"at": stamp(one.time), "kind": one.kind, "detail": one.detail}
                    for one in events[-SHOWN_EVENTS:]
                ],
            }
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


def wanted_of(node: Mapping[str, Any], state: Optional[Mapping[str, Any]]) -> Optional[str]:
    """The action for the fault that a node has now, by the fault alone; None without one."""
    remedy = _remedy(node)
    if remedy is not None:
        return "replace" if remedy == "replace" else "reboot"
    if state is not None and state.get("state") == "rejected":
        action = str(state.get("action"))
        return action if action in ("reboot", "replace") else None
    return None


def _remedy(node: Mapping[str, Any]) -> Optional[str]:
    """What the health check or HyperPod's agent wants for a drained node."""
    reason = str(node.get("reason") or "")
    if not {"DRAIN", "DOWN", "FAIL"}.intersection(node["states"]):
        return None
    if reason in _AGENT:
        return _AGENT[reason]
    found = _REMEDY.search(reason) if reason.startswith(MARK) else None
    return found.group(1) if found else None


def _is_lost(node: Mapping[str, Any]) -> bool:
    return "DOWN" in node["states"] and str(node.get("reason") or "").startswith("Not responding")


def _looked_at(
    node: Mapping[str, Any], own: Mapping[str, Any], before: Mapping[str, Any]
) -> dict[str, Any]:
    last = _last_test(own, node)
    return {
        "instance_id": node["instance_id"],
        "boot_time": node["boot_time"] or before.get("boot_time"),
        "faulty": _remedy(node) is not None,
        "lost": _is_lost(node),
        "run": last.get("run", before.get("run")),
        "verdict": last.get("verdict", before.get("verdict")),
    }


def _last_test(own: Mapping[str, Any], node: Mapping[str, Any]) -> Mapping[str, Any]:
    """The last test of this instance."""
    rows = own.get("history")
    last = rows[-1] if isinstance(rows, list) and rows and isinstance(rows[-1], dict) else {}
    return last if last.get("instance_id") in (None, node["instance_id"]) else {}


def _happened(
    node: Mapping[str, Any], own: Mapping[str, Any], before: Mapping[str, Any], now: float
) -> list[Happening]:
    found = []
    reason = str(node.get("reason") or "")
    if _remedy(node) is not None and not before.get("faulty"):
        kind = "xid" if reason.startswith(f"{MARK}xid") else "drained"
        found.append(Happening(now, kind, reason))
    elif before.get("faulty") and not {"DRAIN", "DOWN", "FAIL"}.intersection(node["states"]):
        found.append(Happening(now, "resumed"))
    if _is_lost(node) and not before.get("lost"):
        found.append(Happening(now, "node_fail", reason))
    last = _last_test(own, node)
    if last and last.get("run") != before.get("run"):
        why = str(last.get("reason", ""))
        if last.get("verdict") == "rejected" and last.get("action") in _ACTIONS:
            kind = "hung" if "did not end within" in why else "rejected"
            found.append(Happening(now, kind, why))
        elif last.get("verdict") == "accepted" and before.get("verdict") != "accepted":
            found.append(Happening(now, "accepted", f"level {last.get('level')}"))
    if _has_rebooted(node, before):
        found.append(Happening(now, "rebooted"))
    return found


def _added(book: lemon.Book, node: Mapping[str, Any], one: Happening) -> lemon.Book:
    """The book with an event, unless it has one of the kind on that day."""
    name, instance = str(node["name"]), str(node["instance_id"])
    events = book.get((name, instance), ())
    if one.kind == "rebooted":
        if not _answers_a_fault(events, one.time):
            return book
    elif any(
        each.kind == one.kind and int(each.time // _DAY) == int(one.time // _DAY)
        for each in events
    ):
        return book
    return lemon.add(book, name, instance, one)


def _has_rebooted(node: Mapping[str, Any], before: Mapping[str, Any]) -> bool:
    times = (seconds_of(before.get("boot_time")), seconds_of(node["boot_time"]))
    return None not in times and times[1] - times[0] > _REBOOTED_SECONDS  # type: ignore[operator]


def _answers_a_fault(events: Sequence[Happening], now: float) -> bool:
    """Whether a reboot now follows a fault of the last 7 days, as maintenance does not."""
    recent = [one for one in events if now - one.time <= 7 * _DAY]
    return next(
        (one.kind in lemon.FAULTS for one in reversed(recent) if one.kind in _DECISIVE), False
    )


def _single(
    faults: Sequence[tuple[Mapping[str, Any], Happening]], count: int
) -> list[tuple[Mapping[str, Any], Happening]]:
    """The faults without those of one kind that many nodes have at this look."""
    kinds = [one.kind for _, one in faults]
    common = {
        kind
        for kind in kinds
        if kinds.count(kind) >= max(COMMON_NODES, math.ceil(COMMON_SHARE * count))
    }
    return [(node, one) for node, one in faults if one.kind not in common]
