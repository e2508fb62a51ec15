"""Log groups of our own: named, encrypted, with an end."""

from __future__ import annotations

import bisect
from typing import get_args

import aws_cdk as cdk
from aws_cdk import aws_logs as logs
from constructs import Construct

from clusterwright.spec.models.operations import LogRetentionDays

RETENTIONS: tuple[int, ...] = get_args(LogRetentionDays)
"""Days that CloudWatch Logs can keep a group for (PutRetentionPolicy), ascending."""


def log_group(
    scope: Construct, construct_id: str, *, name: str, days: int, key_arn: str | None
) -> logs.CfnLogGroup:
    """A log group that is kept for at least `days` and goes with its stack.

    A log is no part of what `protection` protects: it can be read, but nothing can be made of it.
    """
    group = logs.CfnLogGroup(
        scope,
        construct_id,
        log_group_name=name,
        retention_in_days=kept_days(days),
        kms_key_id=key_arn,
    )
    group.apply_removal_policy(cdk.RemovalPolicy.DESTROY)
    return group


def kept_days(days: int) -> int:
    """The shortest retention that CloudWatch offers and that is not below `days`."""
    index = bisect.bisect_left(RETENTIONS, days)
    return RETENTIONS[min(index, len(RETENTIONS) - 1)]
