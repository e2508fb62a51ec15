"""Alarms and dashboards."""

from __future__ import annotations

from typing import Any

from clusterwright_localaws.cloudformation.handler import Context, Created, Handler, Properties
from clusterwright_localaws.cloudformation.handler_helpers import pick, policy_text, retag

_ALARM = (
    "ActionsEnabled",
    "AlarmActions",
    "AlarmDescription",
    "ComparisonOperator",
    "DatapointsToAlarm",
    "Dimensions",
    "EvaluateLowSampleCountPercentile",
    "EvaluationPeriods",
    "ExtendedStatistic",
    "InsufficientDataActions",
    "MetricName",
    "Metrics",
    "Namespace",
    "OKActions",
    "Period",
    "Statistic",
    "Threshold",
    "ThresholdMetricId",
    "TreatMissingData",
    "Unit",
)

_COMPOSITE = (
    "ActionsEnabled",
    "AlarmActions",
    "AlarmDescription",
    "AlarmRule",
    "InsufficientDataActions",
    "OKActions",
)


class Alarm(Handler):
    type_name = "AWS::CloudWatch::Alarm"
    supported_properties = frozenset({*_ALARM, "AlarmName", "Tags"})

    def create(self, ctx: Context, properties: Properties) -> Created:
        name = properties.get("AlarmName") or ctx.generated_name(max_length=255)
        ctx.client("cloudwatch").put_metric_alarm(
            AlarmName=name, **pick(properties, *_ALARM), **ctx.tagging(properties)
        )
        return Created(name, {"Arn": _arn(ctx, name)})

    def update(self, ctx: Context, physical_id: str, old: Properties, new: Properties) -> Created:
        cloudwatch = ctx.client("cloudwatch")
        cloudwatch.put_metric_alarm(AlarmName=physical_id, **pick(new, *_ALARM))
        arn = _arn(ctx, physical_id)
        retag(ctx, "cloudwatch", old, new, ResourceARN=arn)
        return Created(physical_id, {"Arn": arn})

    def exists(self, ctx: Context, physical_id: str, properties: Properties) -> bool:
        return self.read(ctx, physical_id, properties) is not None

    def delete(self, ctx: Context, physical_id: str, properties: Properties) -> None:
        ctx.client("cloudwatch").delete_alarms(AlarmNames=[physical_id])

    def read(self, ctx: Context, physical_id: str, properties: Properties) -> Properties | None:
        found: list[dict[str, Any]] = ctx.client("cloudwatch").describe_alarms(
            AlarmNames=[physical_id]
        )["MetricAlarms"]
        return pick(found[0], "AlarmName", *_ALARM) if found else None


class CompositeAlarm(Handler):
    type_name = "AWS::CloudWatch::CompositeAlarm"
    supported_properties = frozenset({*_COMPOSITE, "AlarmName", "Tags"})

    def create(self, ctx: Context, properties: Properties) -> Created:
        name = properties.get("AlarmName") or ctx.generated_name(max_length=255)
        ctx.client("cloudwatch").put_composite_alarm(
            AlarmName=name, **pick(properties, *_COMPOSITE), **ctx.tagging(properties)
        )
        return Created(name, {"Arn": _arn(ctx, name)})

    def update(self, ctx: Context, physical_id: str, old: Properties, new: Properties) -> Created:
        cloudwatch = ctx.client("cloudwatch")
        cloudwatch.put_composite_alarm(AlarmName=physical_id, **pick(new, *_COMPOSITE))
        arn = _arn(ctx, physical_id)
        retag(ctx, "cloudwatch", old, new, ResourceARN=arn)
        return Created(physical_id, {"Arn": arn})

    def exists(self, ctx: Context, physical_id: str, properties: Properties) -> bool:
        return self.read(ctx, physical_id, properties) is not None

    def delete(self, ctx: Context, physical_id: str, properties: Properties) -> None:
        ctx.client("cloudwatch").delete_alarms(AlarmNames=[physical_id])

    def read(self, ctx: Context, physical_id: str, properties: Properties) -> Properties | None:
        found: list[dict[str, Any]] = ctx.client("cloudwatch").describe_alarms(
            AlarmNames=[physical_id], AlarmTypes=["CompositeAlarm"]
        )["CompositeAlarms"]
        return pick(found[0], "AlarmName", *_COMPOSITE) if found else None


class Dashboard(Handler):
    type_name = "AWS::CloudWatch::Dashboard"

    def create(self, ctx: Context, properties: Properties) -> Created:
        name = properties.get("DashboardName") or ctx.generated_name(max_length=255)
        ctx.client("cloudwatch").put_dashboard(
            DashboardName=name,
            DashboardBody=policy_text(properties["DashboardBody"]),
            **ctx.tagging(properties),
        )
        return Created(name)

    def update(self, ctx: Context, physical_id: str, old: Properties, new: Properties) -> Created:
        cloudwatch = ctx.client("cloudwatch")
        cloudwatch.put_dashboard(
            DashboardName=physical_id, DashboardBody=policy_text(new["DashboardBody"])
        )
        arn = f"arn:{ctx.partition}:cloudwatch::{ctx.account}:dashboard/{physical_id}"
        retag(ctx, "cloudwatch", old, new, ResourceARN=arn)
        return Created(physical_id)

    def delete(self, ctx: Context, physical_id: str, properties: Properties) -> None:
        ctx.client("cloudwatch").delete_dashboards(DashboardNames=[physical_id])


def _arn(ctx: Context, name: str) -> str:
    return f"arn:{ctx.partition}:cloudwatch:{ctx.region}:{ctx.account}:alarm:{name}"
