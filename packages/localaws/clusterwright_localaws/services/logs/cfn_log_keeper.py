"""Custom resources for log groups that services create: retention and removal.

`Custom::LogRetention` is the CDK's ``aws_logs.LogRetention``; our own stacks use it, and
`Custom::LogGroupCleanup`, for the groups of HyperPod (stacks/hyperpod/functions/log_keeper.py).
"""

from __future__ import annotations

from typing import Any

from clusterwright_localaws.cloudformation.handler import Context, Created, Handler, Properties


class LogRetention(Handler):
    """Sets the retention of a log group; creates the group if it does not exist."""

    type_name = "Custom::LogRetention"
    supported_properties = frozenset(
        {
            "LogGroupName",
            "LogGroupRegion",
            "RemovalPolicy",
            "RetentionInDays",
            "SdkRetry",
            "ServiceTimeout",
            "ServiceToken",
        }
    )

    def create(self, ctx: Context, properties: Properties) -> Created:
        logs, name = _logs(ctx, properties), properties["LogGroupName"]
        if not _named(logs, name):
            logs.create_log_group(logGroupName=name)
        if "RetentionInDays" in properties:
            logs.put_retention_policy(
                logGroupName=name, retentionInDays=int(properties["RetentionInDays"])
            )
        else:
            logs.delete_retention_policy(logGroupName=name)
        return Created(name, {"LogGroupName": name})

    def update(self, ctx: Context, physical_id: str, old: Properties, new: Properties) -> Created:
        return self.create(ctx, new)

    def delete(self, ctx: Context, physical_id: str, properties: Properties) -> None:
        logs, name = _logs(ctx, properties), properties["LogGroupName"]
        if properties.get("RemovalPolicy") == "destroy" and _named(logs, name):
            logs.delete_log_group(logGroupName=name)


class LogGroupCleanup(Handler):
    """Deletes every log group under a prefix when the resource is deleted."""

    type_name = "Custom::LogGroupCleanup"
    supported_properties = frozenset({"LogGroupNamePrefix", "ServiceTimeout", "ServiceToken"})

    def create(self, ctx: Context, properties: Properties) -> Created:
        return Created("cleanup")

    def update(self, ctx: Context, physical_id: str, old: Properties, new: Properties) -> Created:
        return Created(physical_id)

    def delete(self, ctx: Context, physical_id: str, properties: Properties) -> None:
        logs = ctx.client("logs")
        for name in _names(logs, properties["LogGroupNamePrefix"]):
            logs.delete_log_group(logGroupName=name)


def _logs(ctx: Context, properties: Properties) -> Any:
    return ctx.client("logs", region=properties.get("LogGroupRegion") or None)


def _named(logs: Any, name: str) -> bool:
    return name in _names(logs, name)


def _names(logs: Any, prefix: str) -> list[str]:
    pages = logs.get_paginator("describe_log_groups").paginate(logGroupNamePrefix=prefix)
    return [group["logGroupName"] for page in pages for group in page["logGroups"]]
