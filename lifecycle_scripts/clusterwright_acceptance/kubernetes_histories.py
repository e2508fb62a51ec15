"""The histories of nodes of Kubernetes (`clusterwright_common.histories`).

They are in the ConfigMap `histories`; what readers need of a node is its annotation, so that
whoever may list nodes reads it. The controller looks at each of its runs: every two minutes with
`hold` or re-checks, else when `clusterwright accept` starts one.

Against an instance count tests that reject it, HyperPod's health label that wants a reboot or
another instance, and a kubelet that is silent for `LOST_SECONDS`. The health check that drains
nodes of Slurm does not run on Kubernetes: its Xid events count through the tests.

Sources: SageMaker HyperPod, "Resilience-related Kubernetes labels" (node-health-status);
Kubernetes, "Nodes" (condition Ready is Unknown without heartbeats).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Optional

from clusterwright_common import histories, lemon
from clusterwright_common.histories import Look
from clusterwright_common.times import seconds_of

from clusterwright_acceptance import kubernetes_maps, kubernetes_nodes
from clusterwright_acceptance.kubernetes_api import CONFLICT, KubernetesError
from clusterwright_acceptance.kubernetes_maps import Maps
from clusterwright_acceptance.kubernetes_nodes import Node

MAP = "histories"
ANNOTATION = "clusterwright.dev/history"
HEALTH_LABEL = "sagemaker.amazonaws.com/node-health-status"
_AGENT = {
    "UnschedulablePendingReboot": "reboot",
    "UnschedulablePendingReplacement": "replace",
}
LOST_SECONDS = 900.0
"""Our rule: a reboot, after which a node is silent for minutes, is no fault."""
MOST_BYTES = 900_000
"""Of the ConfigMap, which holds 1 MiB: beyond it the oldest histories are forgotten."""
_LONGEST_REASON = 300
_TRIES = 5
INSTANCE = re.compile(r"i-[0-9a-zA-Z]+$")
"""The end of a provider's id (`clusterwright/cluster_state/kubernetes_view.py` has it, too)."""


@dataclass(frozen=True)
class Record:
    """What is kept: the histories, and what the last look saw."""

    book: lemon.Book
    seen: Mapping[str, Mapping[str, Any]]


def load(maps: Maps) -> Record:
    """Raises KubernetesError."""
    return _record(maps.read(MAP))


def prepare(maps: Maps, folder: Path) -> None:
    """Write the histories where a run looks for them. Raises KubernetesError or OSError."""
    lemon.save(folder / lemon.FILE, load(maps).book)


def note(
    maps: Maps, nodes: Sequence[Node], tests: Mapping[str, Mapping[str, Any]], now: float
) -> lemon.Book:
    """Keep what happened since the last look, and return the histories.

    `tests` has the tests that have just ended, by node. Raises KubernetesError.
    """
    looks = [one for one in (_look(node, tests, now) for node in nodes) if one is not None]
    for _ in range(_TRIES):
        content, version = maps.versioned(MAP)
        before = _record(content)
        book, seen = histories.noted(
            before.book, before.seen, looks, now, count=len(nodes), has_rebooted=_differ
        )
        known = {name for name, _ in book}
        kept = {name: one for name, one in before.seen.items() if name in known}
        record = Record(book, {**kept, **seen})
        if record == before:
            return book
        try:
            maps.replace(MAP, _fitting(record), version)
        except KubernetesError as error:
            if error.code != CONFLICT:
                raise
        else:
            return book
    raise KubernetesError(CONFLICT, "other runs prevented the histories; the next one writes them")


def patches(
    book: lemon.Book, nodes: Sequence[Node], now: float
) -> Iterator[tuple[str, dict[str, Any]]]:
    """The patches of the nodes whose annotation does not say what their history says now."""
    for node in nodes:
        name, instance = kubernetes_nodes.name_of(node), instance_of(node)
        found = None
        if instance is not None:
            wanted = histories.wanted_of(_remedy(node), kubernetes_nodes.recorded(node))
            found = histories.published(book, name, instance, wanted, now)
        text = None if found is None else json.dumps(found, sort_keys=True)
        if (node["metadata"].get("annotations") or {}).get(ANNOTATION) != text:
            # Nobody else writes it, so that the node's version does not matter; null removes it.
            yield name, {"metadata": {"annotations": {ANNOTATION: text}}}


def instance_of(node: Node) -> Optional[str]:
    """The EC2 instance id, with which the provider's id ends."""
    found = INSTANCE.search(str(node.get("spec", {}).get("providerID") or ""))
    return found.group() if found is not None else None


def _look(node: Node, tests: Mapping[str, Mapping[str, Any]], now: float) -> Optional[Look]:
    name, instance = kubernetes_nodes.name_of(node), instance_of(node)
    if instance is None:
        return None
    test = tests.get(name, {})
    if test.get("instance_id") not in (None, instance):
        test = {}
    remedy, lost = _remedy(node), _lost_reason(node, now)
    return Look(
        name=name,
        instance_id=instance,
        boot=kubernetes_nodes.boot_of(node) or None,
        remedy=remedy,
        reason=lost or (f"{HEALTH_LABEL}: {_health(node)}" if remedy is not None else ""),
        is_available=remedy is None,
        is_lost=lost is not None,
        test={**test, "reason": str(test.get("reason", ""))[:_LONGEST_REASON]} if test else {},
    )


def _health(node: Node) -> str:
    return str((node["metadata"].get("labels") or {}).get(HEALTH_LABEL, ""))


def _remedy(node: Node) -> Optional[str]:
    return _AGENT.get(_health(node))


def _lost_reason(node: Node, now: float) -> Optional[str]:
    """Why a node counts as lost; None if its kubelet is not silent for long."""
    for one in node.get("status", {}).get("conditions") or ():
        if one.get("type") == "Ready" and one.get("status") == "Unknown":
            since = seconds_of(one.get("lastTransitionTime"))
            if since is not None and now - since >= LOST_SECONDS:
                return str(one.get("message") or "not ready")[:_LONGEST_REASON]
    return None


def _differ(before: str, now: str) -> bool:
    return before != now


def _record(content: Mapping[str, Any]) -> Record:
    """What a ConfigMap has; parts that are damaged are empty."""
    book, seen = content.get("book"), content.get("seen")
    rows = seen.items() if isinstance(seen, dict) else ()
    return Record(
        lemon.from_json(book if isinstance(book, dict) else {}),
        {str(name): one for name, one in rows if isinstance(one, dict)},
    )


def _fitting(record: Record) -> bytes:
    """The record as it is kept; without the oldest histories if it would be too large."""
    book = record.book
    while True:
        content = {"schema_version": 1, "book": lemon.to_json(book), "seen": dict(record.seen)}
        packed = kubernetes_maps.packed(content)
        if len(packed) <= MOST_BYTES or not book:
            return packed
        newest = sorted(book, key=lambda key: book[key][-1].time)[(len(book) + 1) // 2 :]
        book = {key: book[key] for key in newest}
