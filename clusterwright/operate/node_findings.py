"""Findings on nodes: failed, drained, not accepted, and where the two views disagree."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final

from clusterwright.cluster_state.not_read import known
from clusterwright.cluster_state.results import ClusterState
from clusterwright.operate.nodes import JoinedNode
from clusterwright.operate.results import OperatingFinding, Severity

STARTING: Final = dt.timedelta(minutes=60)
"""HyperPod creates a node in 15 to 25 minutes and replaces one in 20 to 30 (observed, awslabs/
awsome-distributed-ai, hyperpod-mental-model.md, 2026-07-23); a node that takes longer is late."""

JOINING: Final = dt.timedelta(minutes=30)
"""A running instance runs its lifecycle scripts before the scheduler has the node."""

DOWN: Final = ("DOWN", "FAIL", "FAILING", "NOT_RESPONDING", "ERROR", "NOT_READY")
DRAIN: Final = ("DRAIN", "DRAINED", "DRAINING", "SCHEDULING_DISABLED")
_SHOWN: Final = 5
"""Nodes named in a message; all are in `resources`."""

Test = Callable[[JoinedNode, ClusterState], bool]


def node_findings(nodes: Sequence[JoinedNode], state: ClusterState) -> Iterator[OperatingFinding]:
    """One finding for each kind of problem and group, with the nodes that have it."""
    for code, severity, words, hint, test in _KINDS:
        named = _NAMED.get(code, _named)
        groups: dict[str, list[JoinedNode]] = {}
        for node in nodes:
            if test(node, state):
                groups.setdefault(node.group or "no group of the file", []).append(node)
        for group, found in groups.items():
            yield _finding(code, severity, words, hint, group, found, named)


def _finding(
    code: str,
    severity: Severity,
    words: str,
    hint: str | None,
    group: str,
    nodes: Sequence[JoinedNode],
    named: Callable[[JoinedNode], str],
) -> OperatingFinding:
    shown = ", ".join(named(node) for node in nodes[:_SHOWN])
    more = f" and {len(nodes) - _SHOWN} more" if len(nodes) > _SHOWN else ""
    count = "1 node" if len(nodes) == 1 else f"{len(nodes)} nodes"
    return OperatingFinding(
        code=code,
        severity=severity,
        message=f"{group}: {count} {words}: {shown}{more}",
        resources=tuple(node.name for node in nodes),
        hint=hint,
    )


def _named(node: JoinedNode) -> str:
    reason = ""
    if node.scheduler is not None and node.scheduler.reason:
        reason = node.scheduler.reason
    elif node.acceptance is not None and node.acceptance.reason:
        reason = node.acceptance.reason
    elif node.platform is not None and node.platform.message:
        reason = node.platform.message
    return f"{node.name} ({reason})" if reason else node.name


def _with_history(node: JoinedNode) -> str:
    return node.name if node.history is None else f"{node.name} ({node.history.reason})"


def _with_deep_health(node: JoinedNode) -> str:
    failure = node.deep_health_failure
    return node.name if failure is None else f"{node.name} ({failure.reason})"


_NAMED: Final = {"node-lemon": _with_history, "deep-health-check": _with_deep_health}
"""How a finding names its nodes; with their reason if it has no entry."""


def _failed(node: JoinedNode, _: ClusterState) -> bool:
    return node.platform is not None and node.platform.condition == "failed"


def _late(node: JoinedNode, state: ClusterState) -> bool:
    return _starting(node) and _age(node, state) > STARTING


def _on_time(node: JoinedNode, state: ClusterState) -> bool:
    return _starting(node) and _age(node, state) <= STARTING


def _starting(node: JoinedNode) -> bool:
    return node.platform is not None and node.platform.condition == "starting"


def _age(node: JoinedNode, state: ClusterState) -> dt.timedelta:
    if node.platform is None or node.platform.launched_at is None:
        return dt.timedelta(0)
    return state.read_at - node.platform.launched_at


def _up(node: JoinedNode) -> bool:
    return node.platform is not None and node.platform.condition == "up"


def _down_but_running(node: JoinedNode, _: ClusterState) -> bool:
    return _up(node) and node.is_compute and node.has_state(*DOWN)


def _drained(node: JoinedNode, _: ClusterState) -> bool:
    """Drained for another reason than acceptance, which has findings of its own."""
    drained = node.has_state(*DRAIN) and not node.has_state(*DOWN)
    return node.is_compute and drained and _acceptance(node) in (None, "accepted")


def _in_scheduler_but_broken(node: JoinedNode, _: ClusterState) -> bool:
    """The scheduler would start jobs on a node that the platform reports as failed or ending."""
    return (
        node.platform is not None
        and node.platform.condition in ("failed", "ending")
        and node.scheduler is not None
        and node.is_compute
        and not node.has_state(*DOWN, *DRAIN)
    )


def _without_instance(node: JoinedNode, state: ClusterState) -> bool:
    """Only the scheduler knows it, and the platform's list was read."""
    return node.platform is None and known(state.nodes) is not None


def _not_in_scheduler(node: JoinedNode, state: ClusterState) -> bool:
    current = state.scheduler.current
    return (
        current is not None
        and current.nodes is not None
        and node.scheduler is None
        and node.is_compute
        and _up(node)
        and _age(node, state) > JOINING
    )


def _another_instance(node: JoinedNode, state: ClusterState) -> bool:
    """The published id may be that of a replaced instance for some minutes."""
    return (
        node.platform is not None
        and node.scheduler is not None
        and None not in (node.platform.instance_id, node.scheduler.instance_id)
        and node.platform.instance_id != node.scheduler.instance_id
        and _up(node)
        and _age(node, state) > JOINING
    )


def _faulty(node: JoinedNode, _: ClusterState) -> bool:
    """HyperPod's own result; not if it asked for a reboot that has happened since."""
    return node.deep_health_failure is not None


def _rejected(node: JoinedNode, _: ClusterState) -> bool:
    return _acceptance(node) == "rejected"


def _to_replace(node: JoinedNode, _: ClusterState) -> bool:
    """Its history says that a reboot does not help."""
    return node.history is not None and node.history.advice == "replace"


def _acceptance_unknown(node: JoinedNode, _: ClusterState) -> bool:
    return _acceptance(node) == "unknown"


def _new_for_long(node: JoinedNode, state: ClusterState) -> bool:
    since = node.acceptance.since if node.acceptance is not None else None
    late = since is not None and state.read_at - since > JOINING
    return _acceptance(node) == "new" and late


def _acceptance(node: JoinedNode) -> str | None:
    return node.acceptance.state if node.is_compute and node.acceptance is not None else None


_DIAGNOSE: Final = "clusterwright diagnose FILE node NAME"
_KINDS: Final[Iterable[tuple[str, Severity, str, str | None, Test]]] = (
    ("node-failed", "error", "failed on the platform", _DIAGNOSE, _failed),
    (
        "views-disagree",
        "error",
        "down in the scheduler, running on the platform",
        _DIAGNOSE,
        _down_but_running,
    ),
    (
        "views-disagree",
        "error",
        "available in the scheduler, not on the platform",
        "clusterwright node drain FILE NAME --because TEXT",
        _in_scheduler_but_broken,
    ),
    (
        "views-disagree",
        "error",
        "in the scheduler without an instance on the platform",
        None,
        _without_instance,
    ),
    (
        "views-disagree",
        "warning",
        "running for more than 30 minutes, not in the scheduler",
        _DIAGNOSE,
        _not_in_scheduler,
    ),
    (
        "views-disagree",
        "warning",
        "running for more than 30 minutes, another instance in the scheduler",
        _DIAGNOSE,
        _another_instance,
    ),
    ("node-rejected", "error", "rejected by acceptance", _DIAGNOSE, _rejected),
    (
        "deep-health-check",
        "error",
        "faulty by HyperPod's deep health check",
        "clusterwright node replace FILE NAME --because TEXT",
        _faulty,
    ),
    (
        "node-lemon",
        "error",
        "to be replaced by the faults of weeks",
        "clusterwright node replace FILE NAME --because TEXT",
        _to_replace,
    ),
    (
        "node-acceptance-unknown",
        "warning",
        "neither accepted nor rejected",
        "clusterwright accept FILE --nodes NAME",
        _acceptance_unknown,
    ),
    (
        "node-not-accepted",
        "warning",
        "waiting for acceptance for more than 30 minutes",
        "clusterwright accept FILE --nodes NAME",
        _new_for_long,
    ),
    ("node-drained", "warning", "drained", _DIAGNOSE, _drained),
    ("node-late", "warning", "starting for more than 60 minutes", _DIAGNOSE, _late),
    ("node-starting", "info", "starting", None, _on_time),
)
