"""Log groups."""

from __future__ import annotations

from typing import Any

from clusterwright_localaws.cloudformation.handler import Context, Created, Handler, Properties
from clusterwright_localaws.cloudformation.handler_helpers import (
    changed,
    pick,
    retag,
)


class LogGroup(Handler):
    type_name = "AWS::Logs::LogGroup"
    supported_properties = frozenset(
        {"KmsKeyId", "LogGroupClass", "LogGroupName", "RetentionInDays", "Tags"}
    )

    def create(self, ctx: Context, properties: Properties) -> Created:
        logs = ctx.client("logs")
        name = properties.get("LogGroupName") or ctx.generated_name(max_length=512)
        logs.create_log_group(
            logGroupName=name,
            **pick(properties, KmsKeyId="kmsKeyId", LogGroupClass="logGroupClass"),
            **ctx.tagging(properties, "tags", as_map=True),
        )
        ctx.identify(name)
        if "RetentionInDays" in properties:
            logs.put_retention_policy(
                logGroupName=name, retentionInDays=properties["RetentionInDays"]
            )
        return self._created(ctx, name)

    def update(self, ctx: Context, physical_id: str, old: Properties, new: Properties) -> Created:
        logs = ctx.client("logs")
        if changed(old, new, "RetentionInDays"):
            if "RetentionInDays" in new:
                logs.put_retention_policy(
                    logGroupName=physical_id, retentionInDays=new["RetentionInDays"]
                )
            else:
                logs.delete_retention_policy(logGroupName=physical_id)
        if changed(old, new, "KmsKeyId"):
            if "KmsKeyId" in new:
                logs.associate_kms_key(logGroupName=physical_id, kmsKeyId=new["KmsKeyId"])
            else:
                logs.disassociate_kms_key(logGroupName=physical_id)
        arn = _arn(ctx, physical_id)
        retag(ctx, "logs", old, new, resourceArn=arn)
        return self._created(ctx, physical_id)

    def delete(self, ctx: Context, physical_id: str, properties: Properties) -> None:
        ctx.client("logs").delete_log_group(logGroupName=physical_id)

    def replacing(self, old: Properties, new: Properties) -> set[str]:
        # https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-logs-loggroup.html
        before = old.get("LogGroupClass", "STANDARD")
        return {"LogGroupClass"} if before != new.get("LogGroupClass", "STANDARD") else set()

    def read(self, ctx: Context, physical_id: str, properties: Properties) -> Properties | None:
        found = ctx.client("logs").describe_log_groups(logGroupNamePrefix=physical_id)
        for group in found["logGroups"]:
            if group["logGroupName"] == physical_id:
                actual: dict[str, Any] = {"LogGroupName": physical_id}
                if "RetentionInDays" in properties:
                    actual["RetentionInDays"] = group.get("retentionInDays", 0)
                if "KmsKeyId" in properties:
                    actual["KmsKeyId"] = group.get("kmsKeyId", "")
                return actual
        return None

    def _created(self, ctx: Context, name: str) -> Created:
        return Created(name, {"Arn": f"{_arn(ctx, name)}:*"})


def _arn(ctx: Context, name: str) -> str:
    return f"arn:{ctx.partition}:logs:{ctx.region}:{ctx.account}:log-group:{name}"
