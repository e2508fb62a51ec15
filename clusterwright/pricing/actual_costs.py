"""Reads the actual costs of a cluster from Cost Explorer."""

from __future__ import annotations

import datetime as dt

from clusterwright.aws import cost_explorer
from clusterwright.aws.errors import AwsUnavailable
from clusterwright.aws.session import AwsSession
from clusterwright.cluster_spec.models import Cluster
from clusterwright.cost.bill_extras import Spending
from clusterwright.platforms.tags import ENVIRONMENT_TAG


def spending(session: AwsSession, cluster: Cluster, *, days: int, today: dt.date) -> Spending:
    """What the environment's tag has cost over `days` days until yesterday (UTC).

    Spending without the tag and the status of the tag are separate calls: without their
    permissions the comparison is complete except for the calls that it lists.

    Raises
    ------
    AwsUnavailable
        Cost Explorer does not say what was spent with the tag.
    """
    session.require_credentials(service="ce", operation="GetCostAndUsage")
    start, partition = today - dt.timedelta(days=days), cluster.partition
    mine = _costs(session, partition, start, today, cluster.environment)
    notes = []
    untagged = None
    try:
        untagged = _costs(session, partition, start, today, None).by_service
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
        end=today,
        by_service=mine.by_service,
        untagged_by_service=untagged,
        days_with_cost=len(mine.by_day),
        last_day=max(mine.by_day, default=None),
        estimated=mine.estimated,
        tag_status=status,
        notes=tuple(notes),
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
