"""Alarms on free space: a full file system stops every job, a full database accounting."""

from __future__ import annotations

from collections.abc import Sequence

from aws_cdk import aws_cloudwatch as cloudwatch
from aws_cdk import aws_sns as sns
from constructs import Construct

from clusterwright.cluster_spec.models.cluster import Cluster

GIB = 1024**3

FREE_PERCENT = 10
"""Below this share of free space there is an alarm: add capacity or delete data."""

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


def free_lustre_alarm(
    scope: Construct,
    construct_id: str,
    *,
    environment: str,
    name: str,
    file_system_id: str,
    capacity_gib: int,
    actions: Sequence[str],
) -> cloudwatch.CfnAlarm:
    """Free space of a Lustre file system (FSx for Lustre metrics: `Sum` over its targets)."""
    return _alarm(
        scope,
        construct_id,
        name=f"{environment}-{name}-nearly-full",
        description=f"Lustre {name}: less than {FREE_PERCENT} % of {capacity_gib:,} GiB free",
        namespace="AWS/FSx",
        metric="FreeDataStorageCapacity",
        dimension=("FileSystemId", file_system_id),
        statistic="Sum",
        below=capacity_gib * GIB * FREE_PERCENT / 100,
        actions=actions,
    )


def used_home_alarm(
    scope: Construct,
    construct_id: str,
    *,
    environment: str,
    file_system_id: str,
    capacity_gib: int,
    actions: Sequence[str],
) -> cloudwatch.CfnAlarm:
    """Used space of the home directories (FSx for OpenZFS metrics)."""
    return _alarm(
        scope,
        construct_id,
        name=f"{environment}-home-nearly-full",
        description=f"Home directories: less than {FREE_PERCENT} % of {capacity_gib:,} GiB free",
        namespace="AWS/FSx",
        metric="UsedStorageCapacity",
        dimension=("FileSystemId", file_system_id),
        statistic="Average",
        above=capacity_gib * GIB * (100 - FREE_PERCENT) / 100,
        actions=actions,
    )


def free_database_alarm(
    scope: Construct,
    construct_id: str,
    *,
    environment: str,
    instance_id: str,
    capacity_gib: int,
    actions: Sequence[str],
) -> cloudwatch.CfnAlarm:
    """Free space of the accounting database (RDS instance-level metrics)."""
    return _alarm(
        scope,
        construct_id,
        name=f"{environment}-accounting-nearly-full",
        description=f"Accounting: less than {FREE_PERCENT} % of {capacity_gib:,} GiB free",
        namespace="AWS/RDS",
        metric="FreeStorageSpace",
        dimension=("DBInstanceIdentifier", instance_id),
        statistic="Average",
        below=capacity_gib * GIB * FREE_PERCENT / 100,
        actions=actions,
    )


def _alarm(
    scope: Construct,
    construct_id: str,
    *,
    name: str,
    description: str,
    namespace: str,
    metric: str,
    dimension: tuple[str, str],
    statistic: str,
    actions: Sequence[str],
    below: float | None = None,
    above: float | None = None,
) -> cloudwatch.CfnAlarm:
    threshold = below if below is not None else above
    assert threshold is not None
    return cloudwatch.CfnAlarm(
        scope,
        construct_id,
        alarm_name=name,
        alarm_description=description,
        namespace=namespace,
        metric_name=metric,
        dimensions=[cloudwatch.CfnAlarm.DimensionProperty(name=dimension[0], value=dimension[1])],
        statistic=statistic,
        period=PERIOD_S,
        evaluation_periods=MINUTES,
        datapoints_to_alarm=MINUTES,
        comparison_operator="LessThanThreshold" if below is not None else "GreaterThanThreshold",
        threshold=threshold,
        treat_missing_data="missing",
        alarm_actions=list(actions) or None,
        ok_actions=list(actions) or None,
    )
