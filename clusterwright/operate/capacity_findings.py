"""Findings on the purchases of a spec: status, end, instances out of order."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from clusterwright.cluster_state.not_read import NotRead
from clusterwright.cluster_state.results import CapacityState, ClusterState
from clusterwright.operate.results import CapacityStatus, OperatingFinding, Severity
from clusterwright.platforms.traits import ULTRASERVERS

IN_USE: Final = frozenset({"active", "Active"})
NOT_YET: Final = frozenset({"scheduled", "pending", "payment-pending", "Scheduled", "Pending"})

TERMINATION_BEFORE_END: Final = dt.timedelta(minutes=30)
ULTRASERVER_TERMINATION_BEFORE_END: Final = dt.timedelta(minutes=60)
"""EC2 begins to terminate the instances of a Capacity Block 30 minutes before its end, those of
P6e-GB200 60 minutes before (EC2 user guide, "Capacity Blocks for ML")."""


@dataclass(frozen=True)
class EndRule:
    """What it means that a purchase ends within a time."""

    within: dt.timedelta
    severity: Severity
    advice: str


END_RULES: Final = (
    EndRule(
        dt.timedelta(minutes=40),
        "error",
        "EC2 sends the event Capacity Block Expiration Warning 40 minutes before the end: save "
        "checkpoints now",
    ),
    EndRule(
        dt.timedelta(hours=2),
        "error",
        "drain the nodes and let jobs save their last checkpoint",
    ),
    EndRule(
        dt.timedelta(hours=24),
        "warning",
        "extend it or buy the next one; start no job that cannot end before",
    ),
)
"""The first that applies. 40 minutes: EventBridge event of Capacity Blocks (EC2 user guide,
"Monitor Capacity Blocks"); 2 and 24 hours are this product's."""


def capacity_status(name: str, found: CapacityState | NotRead | None, kind: str) -> CapacityStatus:
    """The row of a purchase."""
    if found is None or isinstance(found, NotRead):
        return CapacityStatus(name, kind, None, None, None, None, None, None, None, None)
    return CapacityStatus(
        name,
        kind,
        found.status,
        found.instance_type or None,
        found.zone,
        found.total,
        found.used,
        found.free,
        found.starts,
        found.ends,
    )


def nodes_end(found: CapacityState) -> dt.datetime | None:
    """When EC2 begins to terminate the instances; None without an end."""
    if found.ends is None:
        return None
    if found.kind != "capacity-block":
        return found.ends
    ultra = found.instance_type.startswith(ULTRASERVERS)
    return found.ends - (ULTRASERVER_TERMINATION_BEFORE_END if ultra else TERMINATION_BEFORE_END)


def capacity_findings(state: ClusterState) -> Iterator[OperatingFinding]:
    """Findings on each purchase that was read."""
    for name, found in state.capacity.items():
        if isinstance(found, NotRead):
            continue
        if found is None:
            yield OperatingFinding(
                code="capacity-missing",
                severity="error",
                message=f"{short(name)} does not exist in this account and region",
                resources=(name,),
                hint="correct compute[].capacity in the file",
            )
            continue
        yield from _status(found)
        yield from _end(found, state.read_at)
        yield from _health(found)


def short(identifier: str) -> str:
    """An id, or the name at the end of an ARN."""
    return identifier.rpartition("/")[2]


def _health(found: CapacityState) -> Iterator[OperatingFinding]:
    name, block = short(found.id), found.kind == "capacity-block"
    if found.interconnect == "impaired":
        yield OperatingFinding(
            code="capacity-interconnect",
            severity="error",
            message=f"{name}: EC2 reports an impaired interconnect of the UltraServer",
            resources=(found.id,),
            hint="start no job on it, and contact AWS Support",
        )
    if found.unhealthy:
        plural = "instance is" if found.unhealthy == 1 else "instances are"
        yield OperatingFinding(
            code="capacity-unhealthy",
            # AWS replaces instances of a training plan; those of a block are lost until repaired.
            severity="warning" if block else "info",
            message=f"{name}: {found.unhealthy} {plural} out of order at AWS",
            resources=(found.id,),
            hint="a system status check failed: contact AWS Support" if block else None,
        )


def unread_parts(state: ClusterState) -> list[object]:
    """Each purchase that was not read, and each health of one that was not."""
    found: list[object] = []
    for purchase in state.capacity.values():
        found += [purchase, getattr(purchase, "health", None)]
    return found


def _status(found: CapacityState) -> Iterator[OperatingFinding]:
    if found.status in IN_USE:
        return
    later = found.status in NOT_YET
    when = f", it starts at {_utc(found.starts)}" if later and found.starts else ""
    yield OperatingFinding(
        code="capacity-not-active",
        severity="warning" if later else "error",
        message=f"{short(found.id)} is {found.status}, not active{when}",
        resources=(found.id,),
    )


def _end(found: CapacityState, now: dt.datetime) -> Iterator[OperatingFinding]:
    if found.ends is None or found.status not in IN_USE:
        return
    left = found.ends - now
    rule = next((rule for rule in END_RULES if left <= rule.within), None)
    if rule is None:
        return
    began = nodes_end(found)
    text = ""
    if found.kind == "capacity-block" and began is not None:
        text = (
            "; EC2 has begun to terminate its instances"
            if began <= now
            else f"; EC2 begins to terminate its instances at {_utc(began)}"
        )
    yield OperatingFinding(
        code="capacity-ends",
        severity=rule.severity,
        message=f"{short(found.id)} ends at {_utc(found.ends)}, in {_span(left)}{text}",
        resources=(found.id,),
        hint=rule.advice,
    )


def _span(left: dt.timedelta) -> str:
    minutes = max(0, int(left.total_seconds() // 60))
    return f"{minutes} min" if minutes < 120 else f"{minutes // 60} h {minutes % 60} min"


def _utc(time: dt.datetime | None) -> str:
    if time is None:
        return "unknown"
    return time.astimezone(dt.UTC).strftime("%Y-%m-%d %H:%M UTC")
