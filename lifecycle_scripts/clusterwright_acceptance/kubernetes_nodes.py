"""Nodes of Kubernetes: which are tested, and the taint and annotation with the result. Pure.

A node is held by the taint `clusterwright/acceptance`, which it has from its registration: its
value is `pending`, `rejected`, `unknown` or `away`. The result is also an annotation, with the
boot that was tested: a node that has booted since is held again. An accepted node that is not
ready is `away`, because it may come back as another boot; if it comes back as the accepted one,
it is opened without a test.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Optional

from clusterwright_acceptance.slurm_nodes import SlurmNode
from clusterwright_acceptance.verdicts import ACCEPTED, to_record

TAINT = "clusterwright/acceptance"
EFFECT = "NoSchedule"
ANNOTATION = "clusterwright.dev/acceptance"
PENDING, AWAY = "pending", "away"
AGAIN_SECONDS = 1800.0
"""A rejected or unknown node is tested again after this time: a repair or a waiver opens it."""

Node = Mapping[str, Any]


def name_of(node: Node) -> str:
    return str(node["metadata"]["name"])


def boot_of(node: Node) -> str:
    return str(node.get("status", {}).get("nodeInfo", {}).get("bootID", ""))


def is_ready(node: Node) -> bool:
    conditions = node.get("status", {}).get("conditions") or ()
    return any(one.get("type") == "Ready" and one.get("status") == "True" for one in conditions)


def group_of(node: Node, groups: Mapping[str, Mapping[str, str]]) -> Optional[str]:
    """The group whose labels the node has; None for a node that is not tested."""
    labels = node["metadata"].get("labels") or {}
    for group, wanted in groups.items():
        if all(labels.get(key) == value for key, value in wanted.items()):
            return group
    return None


def listed(
    nodes: Sequence[Node], groups: Mapping[str, Mapping[str, str]], wanted: Sequence[str] = ()
) -> list[SlurmNode]:
    """The nodes to test: all of the groups, or those of the names. A partition is a group."""
    found = {}
    for node in nodes:
        group = group_of(node, groups)
        if group is not None:
            why_not = None if is_ready(node) else "the node is not ready"
            found[name_of(node)] = SlurmNode(name_of(node), group, why_not)
    if not wanted:
        return list(found.values())
    missing = "Kubernetes has no compute node of this name"
    return [found.get(name, SlurmNode(name, "", missing)) for name in dict.fromkeys(wanted)]


def recorded(node: Node) -> dict[str, Any]:
    """The last result; empty without one, and for another boot than the node's."""
    text = (node["metadata"].get("annotations") or {}).get(ANNOTATION)
    try:
        found = json.loads(text or "{}")
    except ValueError:
        return {}
    if not isinstance(found, dict) or found.get("boot_id") != boot_of(node):
        return {}
    return found


def taint_of(node: Node) -> Optional[str]:
    """The value of the taint; None without it."""
    for taint in node.get("spec", {}).get("taints") or ():
        if taint.get("key") == TAINT:
            return str(taint.get("value", ""))
    return None


def is_due(node: Node, now: float) -> bool:
    """Whether a held node is tested now. `now` is in seconds since 1970."""
    last = recorded(node)
    if not last:
        return True
    if last.get("state") == ACCEPTED:
        return taint_of(node) not in (None, AWAY)
    return now - float(last.get("at", 0)) >= AGAIN_SECONDS


def is_accepted(node: Node) -> bool:
    """Whether a node is open for pods, after a test of this boot."""
    return (
        recorded(node).get("state") == ACCEPTED
        and taint_of(node) is None
        and is_ready(node)
        and not node.get("spec", {}).get("unschedulable")
    )


def tainted(node: Node, value: Optional[str]) -> list[dict[str, Any]]:
    """The node's taints, with the value for ours, or without ours."""
    others = [dict(one) for one in node.get("spec", {}).get("taints") or ()]
    others = [one for one in others if one.get("key") != TAINT]
    return others if value is None else [*others, _taint(value)]


def hold_patch(node: Node) -> Optional[dict[str, Any]]:
    """The patch that holds a node, or opens one that is back; None where the taint is right.

    The kubelet writes boot and conditions of a node with one request, so a node that is ready
    again has the boot of the kubelet that says so.
    """
    now = taint_of(node)
    if now not in (None, AWAY):
        return None
    wanted: Optional[str] = PENDING
    if recorded(node).get("state") == ACCEPTED:
        wanted = None if is_ready(node) else AWAY
    elif now == AWAY and not is_ready(node):
        wanted = AWAY
    return None if wanted == now else _patch(node, {"spec": {"taints": tainted(node, wanted)}}, {})


def result_patch(
    node: Node, result: Mapping[str, Any], level: str, run: str, now: float, *, hold: bool
) -> Optional[dict[str, Any]]:
    """The patch with a result; None where it says nothing, or is of another boot.

    Without `hold` only the annotation is written.
    """
    found = to_record(result, recorded(node))
    if found is None or found.get("boot_id") not in (None, boot_of(node)):
        return None
    state = str(found["verdict"])
    value = {
        "state": state,
        "reason": str(found["reason"])[:300],
        "action": found["action"],
        "level": level,
        "run": run,
        "at": int(now),
        "boot_id": boot_of(node),
    }
    annotation = {ANNOTATION: json.dumps(value, sort_keys=True)}
    body: dict[str, Any] = {}
    if hold:
        opened = None if is_ready(node) else AWAY
        body["spec"] = {"taints": tainted(node, opened if state == ACCEPTED else state)}
    return _patch(node, body, annotation)


def _taint(value: str) -> dict[str, str]:
    return {"key": TAINT, "value": value, "effect": EFFECT}


def _patch(node: Node, body: dict[str, Any], annotations: dict[str, str]) -> dict[str, Any]:
    # With the version that was read: a taint that others have set meanwhile is not overwritten.
    metadata: dict[str, Any] = {"resourceVersion": node["metadata"].get("resourceVersion")}
    if annotations:
        metadata["annotations"] = annotations
    return {**body, "metadata": metadata}
