"""Alarms on free space: a full file system stops every job, a full database accounting."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from aws_cdk import aws_cloudwatch as cloudwatch
from aws_cdk import aws_sns as sns
from constructs import Construct

from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.platforms.free_space import FREE_PERCENT

GIB = 1024**3

PERIOD_S = 60
MINUTES = 15
"""How long a value must be below it: checkpoints are written and deleted."""


def alarm_topic(
    scope: Construct, construct_id: str, cluster: Cluster, *, key_arn: str | None
) -> sns.CfnTopic:
    """A topic that sends mail to everybody in `observability.alarm_emails`.

    It is encrypted if the stacks create the key. The policy of an existing key is not changed, and
    CloudWatch could not publish to a topic with a key whose policy does not allow it.
    """
    return sns.CfnTopic(
        scope,
        construct_id,
        topic_name=f"{cluster.environment}-alarms",
        display_name=f"{cluster.environment} alarms",
        kms_master_key_id=key_arn,
        subscription=[
            sns.CfnTopic.SubscriptionProperty(endpoint=email, protocol="email")
            for email in cluster.observability.alarm_emails
        ],
    )


class SpaceMetric(NamedTuple):
    """The metric of a resource's free space, or of its used space, in bytes."""

    namespace: str
    name: str
    dimension: str
    statistic: str
    counts_used: bool = False


LUSTRE = SpaceMetric("AWS/FSx", "FreeDataStorageCapacity", "FileSystemId", "Sum")
"""Of a Lustre file system (FSx for Lustre metrics: `Sum` over its targets)."""

HOME = SpaceMetric("AWS/FSx", "UsedStorageCapacity", "FileSystemId", "Average", counts_used=True)
"""Of the home directories (FSx for OpenZFS metrics)."""

DATABASE = SpaceMetric("AWS/RDS", "FreeStorageSpace", "DBInstanceIdentifier", "Average")
"""Of the accounting database (RDS instance-level metrics)."""


def space_alarm(
    scope: Construct,
    construct_id: str,
    metric: SpaceMetric,
    resource_id: str,
    *,
    name: str,
    title: str,
    capacity_gib: int,
    actions: Sequence[str],
) -> cloudwatch.CfnAlarm:
    """An alarm when less than `FREE_PERCENT` of the capacity is free; `title` begins its text."""
    percent = 100 - FREE_PERCENT if metric.counts_used else FREE_PERCENT
    return cloudwatch.CfnAlarm(
        scope,
        construct_id,
        alarm_name=f"{name}-nearly-full",
        alarm_description=f"{title}: less than {FREE_PERCENT} % of {capacity_gib:,} GiB free",
        namespace=metric.namespace,
        metric_name=metric.name,
        dimensions=[
            cloudwatch.CfnAlarm.DimensionProperty(name=metric.dimension, value=resource_id)
        ],
        statistic=metric.statistic,
        period=PERIOD_S,
        evaluation_periods=MINUTES,
        datapoints_to_alarm=MINUTES,
        comparison_operator="GreaterThanThreshold" if metric.counts_used else "LessThanThreshold",
        threshold=capacity_gib * GIB * percent / 100,
        treat_missing_data="missing",
        alarm_actions=list(actions) or None,
        ok_actions=list(actions) or None,
    )
