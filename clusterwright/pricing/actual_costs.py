"""Reads the actual costs of a cluster from Cost Explorer."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from typing import Final

from clusterwright.aws import cost_explorer
from clusterwright.aws.errors import AwsUnavailable
from clusterwright.aws.session import AwsSession
from clusterwright.cluster_spec.models import Cluster
from clusterwright.cost.bill_extras import Spending
from clusterwright.platforms.tags import ENVIRONMENT_TAG

ACTIONS: Final[Mapping[str, tuple[str, ...]]] = {
    "ce:GetCostAndUsage": ("*",),
    "ce:ListCostAllocationTags": ("*",),
}
"""The IAM actions of `spending`, with their resources."""


def spending(session: AwsSession, cluster: Cluster, *, days: int, today: dt.date) -> Spending:
    """What the environment's tag has cost over `days` days until yesterday (UTC).

    Raises
    ------
    AwsUnavailable
        As `spending_between`.
    """
    return spending_between(session, cluster, start=today - dt.timedelta(days=days), end=today)


def spending_between(
    session: AwsSession, cluster: Cluster, *, start: dt.date, end: dt.date
) -> Spending:
    """What the environment's tag has cost from `start` until before `end` (UTC).

    Spending without the tag and the status of the tag are separate calls: without their
    permissions the comparison is complete except for the calls that it lists.

    Raises
    ------
    AwsUnavailable
        Cost Explorer does not say what was spent with the tag.
    """
    session.require_credentials(service="ce", operation="GetCostAndUsage")
    partition = cluster.partition
    mine = _costs(session, partition, start, end, cluster.environment)
    notes = []
    untagged = None
    try:
        untagged = _costs(session, partition, start, end, None).by_service
    except AwsUnavailable as refusal:
        notes.append(f"what carries no tag is not known: {refusal.message}")
    status: str | None = None
    try:
        status = (
            cost_explorer.tag_status(session, partition, ENVIRONMENT_TAG)
            or "unknown to Cost Explorer"
        )
    except AwsUnavailable as refusal:
        notes.append(f"whether the tag is active is not known: {refusal.message}")
    return Spending(
        tag=ENVIRONMENT_TAG,
        value=cluster.environment,
        start=start,
        end=end,
        by_service=mine.by_service,
        untagged_by_service=untagged,
        days_with_cost=len(mine.by_day),
        last_day=max(mine.by_day, default=None),
        estimated=mine.estimated,
        tag_status=status,
        notes=tuple(notes),
        days=mine.days,
        estimated_days=mine.estimated_days,
    )


def _costs(
    session: AwsSession, partition: str, start: dt.date, end: dt.date, value: str | None
) -> cost_explorer.Costs:
    try:
        return cost_explorer.costs(session, partition, start, end, ENVIRONMENT_TAG, value)
    except (ArithmeticError, LookupError, TypeError, ValueError) as error:
        raise AwsUnavailable(
            service="ce",
            operation="GetCostAndUsage",
            region=None,
            reason="other",
            detail=f"an answer has an unexpected form: {type(error).__name__}: {error}",
        ) from error
