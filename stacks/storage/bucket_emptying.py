"""Log group and tags of the function with which the CDK empties buckets."""

from __future__ import annotations

import aws_cdk as cdk
from constructs import Construct

from clusterwright.cluster_spec.models.cluster import Cluster
from stacks.base.acknowledge import ignore_lint
from stacks.base.log_groups import log_group
from stacks.base.service_principals import limit_to_this_account
from stacks.base.tags import tags_of

PROVIDER = "Custom::S3AutoDeleteObjectsCustomResourceProvider"
"""The construct that `auto_delete_objects` creates once per stack (aws-cdk-lib 2.275.0)."""


def log_what_empties(scope: Construct, cluster: Cluster) -> None:
    """Give the emptying function of `scope`'s stack a log group and tags, unless it has them.

    Otherwise Lambda creates a log group at the first call, without retention, which remains after
    the stack: with `protection: destroy` nothing may remain.
    """
    stack = cdk.Stack.of(scope)
    if stack.node.try_find_child("EmptyingLogs") is not None:
        return
    provider = stack.node.find_child(PROVIDER)
    handler = provider.node.find_child("Handler")
    part = stack.stack_name.removeprefix(f"{cluster.environment}-")
    group = log_group(
        stack,
        "EmptyingLogs",
        name=f"/clusterwright/{cluster.environment}/{part}/emptying",
        days=cluster.observability.log_retention_days,
        key_arn=None,
    )
    assert isinstance(handler, cdk.CfnResource)
    # The CDK does not tag these two, and a tag policy refuses untagged resources.
    tags = [{"Key": key, "Value": value} for key, value in tags_of(cluster).items()]
    for made in (handler, provider.node.find_child("Role")):
        assert isinstance(made, cdk.CfnResource)
        made.add_property_override("Tags", tags)
    role = provider.node.find_child("Role")
    assert isinstance(role, cdk.CfnResource)
    limit_to_this_account(role, cluster)
    handler.add_property_override("LoggingConfig", {"LogGroup": group.ref})
    ignore_lint(handler, "W3005", "the CDK names its role twice, which has no effect")
