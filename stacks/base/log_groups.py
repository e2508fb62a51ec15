"""Log groups of our own: named, encrypted, with an end."""

from __future__ import annotations

import aws_cdk as cdk
from aws_cdk import aws_logs as logs
from constructs import Construct


def log_group(
    scope: Construct, construct_id: str, *, name: str, days: int, key_arn: str | None
) -> logs.CfnLogGroup:
    """A log group that is kept for `days` and goes with its stack.

    A log is no part of what `protection` protects: it can be read, but nothing can be made of it.
    """
    group = logs.CfnLogGroup(
        scope,
        construct_id,
        log_group_name=name,
        retention_in_days=days,
        kms_key_id=key_arn,
    )
    group.apply_removal_policy(cdk.RemovalPolicy.DESTROY)
    return group
