"""`clusterwright status` on a node: Slurm's nodes and jobs, acceptance, and what is wrong."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from typing import Any, Callable

from clusterwright_state import requests
from clusterwright_state.commands.view import (
    DOWN,
    DRAIN,
    Node,
    View,
    finding,
    most_severe_first,
    of_aws,
)

_ACCEPTED = {"accepted": "yes", "rejected": "no", "new": "no"}
_DIAGNOSE = "from a workstation: clusterwright diagnose FILE node NAME"
_SHOWN = 5
JOINING = dt.timedelta(minutes=30)
"""How long a node may be new before it is a finding, as elsewhere."""


def answer(view: View) -> dict[str, Any]:
    """The document of the command."""
    nodes = view.nodes
    findings = most_severe_first([*_of_nodes(view, nodes), *_of_daemons(view)])
    parts = [
        of_aws("stacks, instances, purchases, cost and drift", "status"),
        *view.unknown(),
    ]
    parts += view.without_acceptance("status")
    return {
        **view.envelope("status", findings, parts),
        "cluster": {"name": view.setting.environment, "status": None},
        "stacks": [],
        "groups": [
            {
                "name": group["name"],
                "role": group["role"],
                "instance_type": group["instance_type"],
                "current": None,
                "desired": None,
                "status": None,
            }
            for group in view.setting.groups
        ],
        "nodes": [_row(view, node) for node in nodes],
        "jobs": view.state["jobs"],
        "capacity": [],
        "cost_per_hour_usd": None,
        "cost_unpriced": [],
        "drift": {"state": "unknown", "reasons": []},
        "scheduler_written_at": view.published_at,
        "findings": findings,
        "unknown": parts,
    }


def accepted(view: View, node: Node) -> str:
    """yes, no or unknown."""
    return _ACCEPTED.get(str(view.acceptance(node).get("state")), "unknown")


def _row(view: View, node: Node) -> dict[str, Any]:
    tested = view.acceptance(node)
    reason, since = node["reason"] or None, node["reason_at"]
    if reason is None:
        since = tested.get("since")
        if tested.get("state") != "accepted":
            reason = tested.get("reason") or None
    return {
        "name": node["name"],
        "group": node["group"],
        "role": view.role(node),
        "instance_id": node["instance_id"],
        "instance_type": None,
        "platform_state": "unknown",
        "scheduler_state": "+".join(node["states"]) or "unknown",
        "accepted": accepted(view, node),
        "reason": reason,
        "since": since,
    }


def _of_nodes(view: View, nodes: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    for code, severity, words, hint, test in _KINDS:
        groups: dict[str, list[str]] = {}
        for node in nodes:
            if view.is_compute(node) and test(view, node):
                groups.setdefault(node["group"] or "no group of the file", []).append(
                    _named(view, node)
                )
        for group, found in groups.items():
            more = f" and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
            count = "1 node" if len(found) == 1 else f"{len(found)} nodes"
            message = f"{group}: {count} {words}: {', '.join(found[:_SHOWN])}{more}"
            yield finding(code, severity, message, [one.split(" ")[0] for one in found], hint)


def _named(view: View, node: Node) -> str:
    reason = node["reason"] or view.acceptance(node).get("reason")
    return f"{node['name']} ({reason})" if reason else str(node["name"])


def _down(_: View, node: Node) -> bool:
    return bool(DOWN.intersection(node["states"]))


def _drained(view: View, node: Node) -> bool:
    state = view.acceptance(node).get("state")
    drained = DRAIN.intersection(node["states"]) and not DOWN.intersection(node["states"])
    return bool(drained) and state in (None, "accepted")


def _reserved(view: View, node: Node) -> bool:
    return view.is_reserved(node)


def _rejected(view: View, node: Node) -> bool:
    return bool(view.acceptance(node).get("state") == "rejected")


def _unknown(view: View, node: Node) -> bool:
    return bool(view.acceptance(node).get("state") == "unknown")


def _new_for_long(view: View, node: Node) -> bool:
    tested = view.acceptance(node)
    since, read_at = map(requests.time_of, (tested.get("since"), view.read_at))
    late = since is not None and read_at is not None and read_at - since > JOINING
    return bool(tested.get("state") == "new") and late


def _to_replace(view: View, node: Node) -> bool:
    return bool(view.history(node).get("advice") == "replace")


_Test = Callable[[View, Node], bool]
_KINDS: tuple[tuple[str, str, str, str, _Test], ...] = (
    ("node-down", "error", "down in Slurm", _DIAGNOSE, _down),
    ("node-rejected", "error", "rejected by acceptance", _DIAGNOSE, _rejected),
    (
        "node-lemon",
        "error",
        "to be replaced by the faults of weeks",
        "from a workstation: clusterwright node replace FILE NAME --because TEXT",
        _to_replace,
    ),
    (
        "node-acceptance-unknown",
        "warning",
        "neither accepted nor rejected",
        "clusterwright accept --nodes NAME",
        _unknown,
    ),
    (
        "node-not-accepted",
        "warning",
        "waiting for acceptance for more than 30 minutes",
        "clusterwright accept --nodes NAME",
        _new_for_long,
    ),
    ("node-drained", "warning", "drained", _DIAGNOSE, _drained),
    (
        "node-drained",
        "warning",
        "drained by a reservation",
        "clusterwright node resume NAME --because TEXT",
        _reserved,
    ),
)


def _of_daemons(view: View) -> Iterator[dict[str, Any]]:
    for name, state in (view.state["daemons"] or {}).items():
        if state == "down":
            yield finding("daemon-down", "error", f"{name} does not answer", [name])
    for partition in view.state["partitions"] or ():
        if partition["state"] not in (None, "UP"):
            text = f"the partition {partition['name']} is {partition['state']}"
            yield finding("partition-down", "warning", text, [partition["name"]])
