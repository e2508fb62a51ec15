"""Keep what happens to each instance over weeks, and say which node is to be replaced.

A fault is counted once a day and kind. Rejections count only with an action on the instance: a
file system that is away, or versions that differ, say nothing of it. A boot that is tested again
and again is rejected once: the next rejection counts after another boot or an acceptance. A fault
of many nodes at once has a common cause and is not counted either. The rules of the advice are in
`lemon`. What counts as drained or lost is said by the module that looks:
`clusterwright_state.histories` for Slurm, `clusterwright_acceptance.kubernetes_histories` for
Kubernetes.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Callable, Optional

from clusterwright_common import lemon
from clusterwright_common.lemon import Advice, Happening
from clusterwright_common.times import stamp

SHOWN_EVENTS = 10
COMMON_NODES, COMMON_SHARE = 3, 0.25
"""Our rule: faults of one kind of this many nodes, and this share of all, at one look."""
_DAY = 86_400.0
_DECISIVE = (*lemon.FAULTS, "rebooted")
_ACTIONS = ("check", "reboot", "replace")

Seen = Mapping[str, Mapping[str, Any]]
"""What the last look saw, by node name."""


@dataclass(frozen=True)
class Look:
    """A node as the scheduler shows it now.

    `boot` tells starts of the instance apart; None where it is not known. `remedy` is what a
    health check or the platform's agent wants for a faulty node: reset, reboot or replace. `test`
    is the last test of this instance: run, verdict, action, reason and level.
    """

    name: str
    instance_id: str
    boot: Optional[str] = None
    remedy: Optional[str] = None
    kind: str = "drained"
    reason: str = ""
    is_available: bool = True
    is_lost: bool = False
    test: Mapping[str, Any] = field(default_factory=dict)


def noted(
    book: lemon.Book,
    seen: Seen,
    looks: Sequence[Look],
    now: float,
    *,
    count: int,
    has_rebooted: Callable[[str, str], bool],
) -> tuple[lemon.Book, dict[str, dict[str, Any]]]:
    """The book with what happened since the last look, and what this look saw.

    `count` is the number of all nodes, `has_rebooted` compares two values of `boot`.
    """
    faults: list[tuple[Look, Happening]] = []
    others: list[tuple[Look, Happening]] = []
    found = {}
    for look in looks:
        before = seen.get(look.name, {})
        if before.get("instance_id") != look.instance_id:
            before = {}
        earlier = before.get("boot_time")
        rebooted = (
            earlier is not None and look.boot is not None and has_rebooted(earlier, look.boot)
        )
        if rebooted:
            before = {**before, "rejected": False}
        found[look.name] = _seen(look, before)
        happened = _happened(look, before, now)
        for one in [*happened, *([Happening(now, "rebooted")] if rebooted else [])]:
            (faults if one.kind in lemon.FAULTS else others).append((look, one))
    for look, one in [*others, *_single(faults, count)]:
        book = _added(book, look, one)
    return book, found


def published(
    book: lemon.Book, name: str, instance_id: str, wanted: Optional[str], now: float
) -> Optional[dict[str, Any]]:
    """The history of an instance for readers; None if nothing happened.

    `wanted` is the action for the fault that the node has now, None without one.
    """
    events = lemon.history(book, name, instance_id)
    if not events:
        return None
    advice = lemon.advise(book, name, instance_id, now, wanted or "none")
    if wanted is None and not advice.is_lemon:
        advice = Advice("none", False, "")
    return {
        "instance_id": instance_id,
        "is_lemon": advice.is_lemon,
        "advice": advice.action,
        "reason": advice.reason,
        "events": [
            {"at": stamp(one.time), "kind": one.kind, "detail": one.detail}
            for one in events[-SHOWN_EVENTS:]
        ],
    }


def wanted_of(remedy: Optional[str], state: Optional[Mapping[str, Any]]) -> Optional[str]:
    """The action for the fault that a node has now, by the fault alone; None without one.

    `state` is the node's acceptance.
    """
    if remedy is not None:
        return "replace" if remedy == "replace" else "reboot"
    if state is not None and state.get("state") == "rejected":
        action = str(state.get("action"))
        return action if action in ("reboot", "replace") else None
    return None


def _seen(look: Look, before: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "instance_id": look.instance_id,
        "boot_time": look.boot or before.get("boot_time"),
        "faulty": look.remedy is not None,
        "lost": look.is_lost,
        "run": look.test.get("run", before.get("run")),
        "verdict": look.test.get("verdict", before.get("verdict")),
        "rejected": _is_rejected(look, before),
    }


def _is_rejected(look: Look, before: Mapping[str, Any]) -> bool:
    """Whether this boot has been rejected, and not accepted since."""
    if not _has_new_test(look, before) or look.test.get("verdict") not in ("accepted", "rejected"):
        return bool(before.get("rejected"))
    return _counts(look.test) or (
        bool(before.get("rejected")) and look.test["verdict"] == "rejected"
    )


def _has_new_test(look: Look, before: Mapping[str, Any]) -> bool:
    return bool(look.test) and look.test.get("run") != before.get("run")


def _counts(test: Mapping[str, Any]) -> bool:
    """Whether a test shows a fault of the instance."""
    return test.get("verdict") == "rejected" and test.get("action") in _ACTIONS


def _happened(look: Look, before: Mapping[str, Any], now: float) -> list[Happening]:
    found = []
    if look.remedy is not None and not before.get("faulty"):
        found.append(Happening(now, look.kind, look.reason))
    elif before.get("faulty") and look.is_available:
        found.append(Happening(now, "resumed"))
    if look.is_lost and not before.get("lost"):
        found.append(Happening(now, "node_fail", look.reason))
    test = look.test
    if _has_new_test(look, before):
        why = str(test.get("reason", ""))
        if _counts(test) and not before.get("rejected"):
            kind = "hung" if "did not end within" in why else "rejected"
            found.append(Happening(now, kind, why))
        elif test.get("verdict") == "accepted" and before.get("verdict") != "accepted":
            found.append(Happening(now, "accepted", f"level {test.get('level')}"))
    return found


def _added(book: lemon.Book, look: Look, one: Happening) -> lemon.Book:
    """The book with an event, unless it has one of the kind on that day."""
    events = book.get((look.name, look.instance_id), ())
    if one.kind == "rebooted":
        if not _answers_a_fault(events, one.time):
            return book
    elif any(
        each.kind == one.kind and int(each.time // _DAY) == int(one.time // _DAY)
        for each in events
    ):
        return book
    return lemon.add(book, look.name, look.instance_id, one)


def _answers_a_fault(events: Sequence[Happening], now: float) -> bool:
    """Whether a reboot now follows a fault of the last 7 days, as maintenance does not."""
    recent = [one for one in events if now - one.time <= 7 * _DAY]
    return next(
        (one.kind in lemon.FAULTS for one in reversed(recent) if one.kind in _DECISIVE), False
    )


def _single(faults: Sequence[tuple[Look, Happening]], count: int) -> list[tuple[Look, Happening]]:
    """The faults without those of one kind that many nodes have at this look."""
    kinds = [one.kind for _, one in faults]
    common = {
        kind
        for kind in kinds
        if kinds.count(kind) >= max(COMMON_NODES, math.ceil(COMMON_SHARE * count))
    }
    return [(look, one) for look, one in faults if one.kind not in common]
