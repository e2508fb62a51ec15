"""HyperPod's cluster events and node states as evidence.

Events come in pairs (provisioning and creation failed), scaling emits warnings without a reason,
and the message of a node may be that of an earlier try: operate.md, section 6.1, is the source of
these behaviours, from AWS's own notes on HyperPod.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from clusterwright.diagnosis.model import Evidence

_SUCCESS: Final = re.compile(
    r"successfully (?:provisioned|created|replaced|rebooted|launched|scaled|updated|completed)|"
    r"(?:is|are) (?:now )?(?:in ?service|running|healthy)|completed successfully|passed",
    re.IGNORECASE,
)
_MESSAGES: Final = ("FailureMessage", "Reason", "Advisory", "Message", "HealthStatusReason")
_BAD: Final = ("Failure", "NotFound")
PENDING_AFTER: Final = dt.timedelta(hours=1)
"""A creation takes 15 to 25 minutes, and lifecycle scripts are tried again."""


@dataclass(frozen=True)
class ClusterEvent:
    """An event of ListClusterEvents, with the metadata of DescribeClusterEvent if it was read."""

    id: str
    time: dt.datetime
    description: str
    level: str
    group: str = ""
    instance: str = ""
    metadata: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Shortage:
    """A group with fewer instances than its target."""

    group: str
    current: int
    target: int


@dataclass(frozen=True)
class NodeStatus:
    """A node of ListClusterNodes."""

    instance: str
    group: str
    status: str
    message: str
    name: str = ""
    launched: dt.datetime | None = None


def of_events(
    events: Iterable[ClusterEvent], satisfied: frozenset[str] = frozenset()
) -> tuple[Evidence, ...]:
    """The failures among events, without those that a later success resolved.

    A later success of the same instance resolves; one of the group only if the group is in
    `satisfied`: it has all its instances, and they run.
    """
    ordered = sorted(events, key=lambda event: (event.time, event.id))
    successes: dict[str, dt.datetime] = {}
    for event in ordered:
        if event.level == "Info" and _SUCCESS.search(event.description):
            for name in (event.instance, event.group):
                if name:
                    successes[name] = event.time
        if _health(event) == "Healthy":
            successes["SlurmHealth"] = event.time
    found = []
    for event in ordered:
        text = statement(event)
        if text is None or _resolved(event, successes, satisfied):
            continue
        found.append(
            Evidence(
                kind="cluster-event",
                source="SageMaker cluster events",
                id=event.id,
                time=event.time,
                text=text,
                instance=event.instance,
                resource="" if event.instance else event.group,
                failed=event.level == "Error",
                fields={"group": event.group},
            )
        )
    return tuple(found)


def statement(event: ClusterEvent) -> str | None:
    """The event in words: its description and every reason of its metadata; None if it is no
    failure (information, or a warning without a reason).
    """
    if _health(event) == "Healthy":
        return None
    reasons = list(dict.fromkeys(_reasons(event.metadata)))
    if event.level != "Error" and not reasons:
        return None
    if event.level == "Info" and _health(event) != "Unhealthy":
        return None
    return ": ".join((event.description, *reasons)) if event.description else ": ".join(reasons)


def of_groups(shortages: Iterable[Shortage]) -> tuple[Evidence, ...]:
    """Groups with fewer instances than their target."""
    return tuple(
        Evidence(
            kind="group-state",
            source="SageMaker DescribeCluster",
            id=shortage.group,
            time=None,
            text=f"has {shortage.current} of {shortage.target} instances",
            resource=shortage.group,
            failed=True,
            fields={"group": shortage.group},
        )
        for shortage in shortages
    )


def of_pending(nodes: Iterable[NodeStatus], now: dt.datetime) -> tuple[Evidence, ...]:
    """Nodes that have been pending for longer than a creation takes."""
    return tuple(
        Evidence(
            kind="node-status",
            source="SageMaker ListClusterNodes",
            id=node.instance or node.name,
            time=node.launched,
            text=f"Pending since {node.launched:%Y-%m-%d %H:%M} UTC",
            node=node.name,
            instance=node.instance,
            failed=True,
            fields={"group": node.group, "status": node.status},
        )
        for node in nodes
        if node.status == "Pending"
        and not node.message
        and node.launched is not None
        and now - node.launched > PENDING_AFTER
    )


def of_nodes(nodes: Iterable[NodeStatus]) -> tuple[Evidence, ...]:
    """States of nodes that are no success. The message of a running node is of an earlier try."""
    return tuple(
        Evidence(
            kind="node-status",
            source="SageMaker ListClusterNodes",
            id=node.instance or node.name,
            time=None,
            text=node.message or node.status,
            node=node.name,
            instance=node.instance,
            failed=node.status in _BAD,
            fields={"group": node.group, "status": node.status},
        )
        for node in nodes
        if node.status in _BAD or (node.message and node.status not in ("Running", "ShuttingDown"))
    )


def of_cluster(name: str, status: str, message: str) -> tuple[Evidence, ...]:
    """The failure of the cluster itself; a message beside InService is of an earlier request."""
    if status not in ("Failed", "RollingBack"):
        return ()
    return (
        Evidence(
            kind="cluster",
            source="SageMaker DescribeCluster",
            id=name,
            time=None,
            text=message or status,
            resource=name,
            failed=True,
        ),
    )


def _health(event: ClusterEvent) -> str:
    found = event.metadata.get("SlurmHealth")
    return str(found.get("Status") or "") if isinstance(found, Mapping) else ""


def _reasons(metadata: Mapping[str, Any]) -> Iterator[str]:
    """Every reason in every subtree of an event's metadata."""
    component = metadata.get("Component")
    for key, value in metadata.items():
        if isinstance(value, Mapping):
            yield from _reasons(value)
        elif isinstance(value, list):
            yield from (
                r for entry in value if isinstance(entry, Mapping) for r in _reasons(entry)
            )
        elif key in _MESSAGES and value:
            yield f"{component} {value}" if component else str(value)
        elif key == "LcsExecutionState" and "fail" in str(value).lower():
            yield f"Lifecycle scripts failed ({value})"
        elif key == "RollbackStatus" and value == "RevertFailed":
            yield "the rollback of the database configuration failed"


def _resolved(
    event: ClusterEvent, successes: Mapping[str, dt.datetime], satisfied: frozenset[str]
) -> bool:
    if "SlurmHealth" in event.metadata:
        return successes.get("SlurmHealth", event.time) > event.time
    names = [event.instance] if event.instance else []
    names += [event.group] if event.group in satisfied else []
    return any(successes.get(name, event.time) > event.time for name in names)
