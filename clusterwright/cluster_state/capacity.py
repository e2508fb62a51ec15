"""The reservations, Capacity Blocks and training plans that a spec names."""

from __future__ import annotations

from dataclasses import replace

from clusterwright.aws import sagemaker
from clusterwright.aws.ec2 import capacity_reservations
from clusterwright.aws.errors import AwsUnavailable
from clusterwright.aws.session import AwsSession
from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.cluster_spec.models.compute import CapacityBlock, Reservation, TrainingPlan
from clusterwright.cluster_state.not_read import NotRead
from clusterwright.cluster_state.results import CapacityState
from clusterwright.platforms.traits import ULTRASERVERS


def purchases(cluster: Cluster) -> dict[str, str]:
    """The kind of each purchase of the spec, by its id or ARN, in the order of the groups."""
    found: dict[str, str] = {}
    for group in cluster.compute:
        capacity = group.capacity
        if isinstance(capacity, TrainingPlan):
            found[capacity.arn] = capacity.kind
        elif isinstance(capacity, (Reservation, CapacityBlock)):
            found[capacity.id] = capacity.kind
    return found


def capacity_state(session: AwsSession, identifier: str, kind: str) -> CapacityState | None:
    """One purchase; None if the account does not have it.

    Raises
    ------
    AwsUnavailable
        AWS did not answer.
    """
    if kind == "training-plan":
        return _plan(session, identifier)
    found = capacity_reservations.reservation(session, identifier)
    if found is None:
        return None
    free = found.available_count
    state = CapacityState(
        identifier,
        kind,
        found.state,
        found.instance_type,
        found.zone_id or found.zone or None,
        found.total_count,
        None if free is None else found.total_count - free,
        free,
        found.start,
        found.end,
    )
    return state if kind != "capacity-block" else _with_health(session, state, found.block_id)


def _with_health(session: AwsSession, state: CapacityState, block_id: str | None) -> CapacityState:
    """Add what only DescribeCapacityBlockStatus returns."""
    what = f"the health of {state.id}"
    try:
        found = block_id and capacity_reservations.block_status(session, block_id)
    except AwsUnavailable as error:
        return replace(state, health=NotRead.from_error(what, error))
    ultra = state.instance_type.startswith(ULTRASERVERS) and state.status == "active"
    if not found:
        # botocore 1.44.5 does not say whether blocks of single instances have one.
        missing = NotRead(what, "EC2 reports no status of the Capacity Block")
        return replace(state, health=missing if ultra else None)
    health = None
    if ultra and found.interconnect == "insufficient-data":
        health = NotRead(what, "EC2 has insufficient data about its interconnect")
    return replace(
        state,
        unhealthy=found.unavailable,
        interconnect=found.interconnect or None,
        health=health,
    )


def _plan(session: AwsSession, arn: str) -> CapacityState | None:
    found = sagemaker.training_plan(session, arn.rpartition("/")[2])
    if found is None:
        return None
    used, free = found.in_use_count, found.available_count
    if used is None and found.total_count is not None and free is not None:
        used = found.total_count - free - (found.unhealthy_count or 0)
    types = [part.instance_type.removeprefix("ml.") for part in found.capacities]
    zones = [part.zone_id or part.zone for part in found.capacities]
    return CapacityState(
        arn,
        "training-plan",
        found.status,
        next(iter(types), ""),
        next((zone for zone in zones if zone), None),
        found.total_count,
        used,
        free,
        found.start,
        found.end,
        found.spare_count,
        found.unhealthy_count,
    )
