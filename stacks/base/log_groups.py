"""Log groups that the stacks create: named, encrypted, with a retention period."""

from __future__ import annotations

import aws_cdk as cdk
from aws_cdk import aws_logs as logs
from constructs import Construct


def log_group(
    scope: Construct, construct_id: str, *, name: str, days: int, key_arn: str | None
) -> logs.CfnLogGroup:
    """A log group with a retention of `days`, which is deleted with its stack.

    `protection` does not apply to logs: no cluster can be restored from them.
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
