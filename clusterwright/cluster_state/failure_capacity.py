"""Purchased capacity of a spec that has ended, ends within two hours, or is not usable."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from typing import Final

from clusterwright.aws import sagemaker
from clusterwright.aws.ec2 import capacity_reservations
from clusterwright.aws.session import AwsSession
from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.cluster_spec.models.compute import CapacityBlock, Reservation, TrainingPlan
from clusterwright.diagnosis.model import Evidence

SOON: Final = dt.timedelta(hours=2)
"""EC2 begins to terminate a block's instances 30 minutes before its end."""

_USABLE: Final = ("Active", "active", "Scheduled", "scheduled", "pending", "Pending")


def of_capacity(session: AwsSession, cluster: Cluster, now: dt.datetime) -> tuple[Evidence, ...]:
    """Reservations, blocks and plans of the spec with a state that ends or prevents nodes.

    Raises
    ------
    AwsUnavailable
        AWS did not answer.
    """
    found: list[Evidence] = []
    seen: set[str] = set()
    for group in cluster.compute:
        capacity = group.capacity
        if isinstance(capacity, TrainingPlan):
            if capacity.arn not in seen:
                found += _plan(session, capacity.arn, now)
            seen.add(capacity.arn)
        elif isinstance(capacity, Reservation | CapacityBlock):
            if capacity.id not in seen:
                found += _reservation(session, capacity.id, now)
            seen.add(capacity.id)
    return tuple(found)


def _plan(session: AwsSession, arn: str, now: dt.datetime) -> Iterator[Evidence]:
    name = arn.rpartition("/")[2]
    plan = sagemaker.training_plan(session, name)
    if plan is None:
        yield _evidence(name, f"training plan {name} does not exist", "SageMaker")
        return
    yield from _state(f"training plan {name}", name, plan.status, plan.end, now, "SageMaker")


def _reservation(session: AwsSession, ident: str, now: dt.datetime) -> Iterator[Evidence]:
    found = capacity_reservations.reservation(session, ident)
    if found is None:
        yield _evidence(ident, f"capacity reservation {ident} does not exist", "EC2")
        return
    yield from _state(f"capacity reservation {ident}", ident, found.state, found.end, now, "EC2")


def _state(
    label: str, ident: str, state: str, end: dt.datetime | None, now: dt.datetime, source: str
) -> Iterator[Evidence]:
    when = f"{end:%Y-%m-%d %H:%M} UTC" if end is not None else "an unknown time"
    if state in ("Expired", "expired") or (end is not None and end <= now):
        yield _evidence(ident, f"{label} has ended ({state}, end {when})", source, end)
    elif state not in _USABLE:
        yield _evidence(ident, f"{label} is not active: its state is {state}", source, end)
    elif end is not None and end - now <= SOON:
        yield _evidence(ident, f"{label} is ending at {when}: instances terminate", source, end)


def _evidence(ident: str, text: str, source: str, time: dt.datetime | None = None) -> Evidence:
    return Evidence(
        kind="capacity",
        source=f"{source} capacity",
        id=ident,
        time=time,
        text=text,
        resource=ident,
        failed=True,
    )
