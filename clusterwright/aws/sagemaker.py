"""HyperPod clusters and training plans of an account."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from clusterwright.aws.errors import none_if_not_found
from clusterwright.aws.session import AwsSession
from clusterwright.aws.values import known_value


@dataclass(frozen=True)
class ClusterGroup:
    """An instance group of a deployed HyperPod cluster.

    Attributes
    ----------
    instance_type:
        SageMaker's name (`ml.p5.48xlarge`).
    count:
        The larger of the current and the target count: both count against quotas while a group
        changes.
    ebs_gib:
        The largest additional EBS volume per instance; 0 without.
    """

    name: str
    instance_type: str
    count: int
    spot: bool
    training_plan_arn: str | None
    ebs_gib: int


@dataclass(frozen=True)
class Cluster:
    name: str
    arn: str
    status: str
    groups: tuple[ClusterGroup, ...]


@dataclass(frozen=True)
class ReservedCapacity:
    """A segment of a training plan: instances of one type in one zone."""

    instance_type: str
    instance_count: int
    status: str
    zone: str | None
    zone_id: str | None
    start: dt.datetime | None
    end: dt.datetime | None


@dataclass(frozen=True)
class TrainingPlan:
    """A training plan. `available_count` is None if AWS does not return it."""

    name: str
    arn: str
    status: str
    status_message: str
    total_count: int | None
    available_count: int | None
    target_resources: tuple[str, ...]
    start: dt.datetime | None
    end: dt.datetime | None
    capacities: tuple[ReservedCapacity, ...]
    in_use_count: int | None = None
    unhealthy_count: int | None = None
    spare_count: int | None = None
    """Instances that AWS keeps in the plan for replacements."""


@dataclass(frozen=True)
class PlanExtension:
    """A purchased extension of a training plan."""

    status: str
    payment: str
    start: dt.datetime | None
    end: dt.datetime | None


def cluster_names(session: AwsSession) -> tuple[str, ...]:
    """Return the names of every HyperPod cluster of the session's account and region."""
    return tuple(
        summary["ClusterName"]
        for summary in session.items("sagemaker", "ListClusters", "ClusterSummaries")
    )


@none_if_not_found()
def cluster(session: AwsSession, name: str) -> Cluster | None:
    """Return a cluster with its groups; None if there is none of that name."""
    answer = session.call("sagemaker", "DescribeCluster", ClusterName=name)
    groups = [one for group in answer.get("InstanceGroups", ()) for one in _groups(group)]
    groups += [
        one for group in answer.get("RestrictedInstanceGroups", ()) for one in _groups(group)
    ]
    return Cluster(
        answer.get("ClusterName", name),
        answer["ClusterArn"],
        answer["ClusterStatus"],
        tuple(groups),
    )


@none_if_not_found()
def training_plan(session: AwsSession, name: str) -> TrainingPlan | None:
    """Return a training plan by name; None if the account has none of that name."""
    return _plan(session.call("sagemaker", "DescribeTrainingPlan", TrainingPlanName=name))


def training_plans(session: AwsSession) -> tuple[TrainingPlan, ...]:
    """Return every training plan of the account in the region, including expired ones."""
    plans = tuple(
        _plan(summary)
        for summary in session.items("sagemaker", "ListTrainingPlans", "TrainingPlanSummaries")
    )
    for plan in plans:
        known_value(
            session,
            plan.status,
            service="sagemaker",
            operation="ListTrainingPlans",
            shape="TrainingPlanStatus",
        )
    return plans


def plan_extensions(session: AwsSession, arn: str) -> tuple[PlanExtension, ...]:
    """Return every extension of a training plan, with any status."""
    return tuple(
        PlanExtension(
            extension.get("Status") or "",
            extension.get("PaymentStatus") or "",
            extension.get("StartDate"),
            extension.get("EndDate"),
        )
        for extension in session.items(
            "sagemaker",
            "DescribeTrainingPlanExtensionHistory",
            "TrainingPlanExtensions",
            TrainingPlanArn=arn,
        )
    )


def _groups(answer: Mapping[str, Any]) -> tuple[ClusterGroup, ...]:
    """Yield the group; with several types (`InstanceRequirements`), a group for each type."""
    if answer.get("InstanceType"):
        return (_group(answer),)
    details = list(answer.get("InstanceTypeDetails") or ())
    here = sum(detail.get("CurrentCount") or 0 for detail in details)
    # The types of the remaining instances are unknown: they count as the first type.
    rest = max(0, (answer.get("TargetCount") or 0) - here)
    wanted = (answer.get("InstanceRequirements") or {}).get("DesiredInstanceTypes") or ()
    if not details:
        details = [{"InstanceType": next(iter(wanted), "")}]
    return tuple(
        _group(
            {
                **answer,
                **detail,
                "TargetCount": (detail.get("CurrentCount") or 0) + (0 if index else rest),
            }
        )
        for index, detail in enumerate(details)
    )


def _group(answer: Mapping[str, Any]) -> ClusterGroup:
    ebs = [
        config["EbsVolumeConfig"].get("VolumeSizeInGB") or 0
        for config in answer.get("InstanceStorageConfigs") or ()
        if "EbsVolumeConfig" in config
    ]
    return ClusterGroup(
        name=answer["InstanceGroupName"],
        instance_type=answer["InstanceType"],
        count=max(answer.get("CurrentCount") or 0, answer.get("TargetCount") or 0),
        spot="Spot" in (answer.get("CapacityRequirements") or {}),
        training_plan_arn=answer.get("TrainingPlanArn"),
        ebs_gib=max(ebs, default=0),
    )


def _plan(answer: Mapping[str, Any]) -> TrainingPlan:
    return TrainingPlan(
        name=answer["TrainingPlanName"],
        arn=answer["TrainingPlanArn"],
        status=answer["Status"],
        status_message=answer.get("StatusMessage") or "",
        total_count=answer.get("TotalInstanceCount"),
        available_count=answer.get("AvailableInstanceCount"),
        target_resources=tuple(answer.get("TargetResources") or ()),
        start=answer.get("StartTime"),
        end=answer.get("EndTime"),
        capacities=tuple(
            ReservedCapacity(
                instance_type=capacity["InstanceType"],
                instance_count=capacity["TotalInstanceCount"],
                status=capacity["Status"],
                zone=capacity.get("AvailabilityZone"),
                zone_id=capacity.get("AvailabilityZoneId"),
                start=capacity.get("StartTime"),
                end=capacity.get("EndTime"),
            )
            for capacity in answer.get("ReservedCapacitySummaries") or ()
        ),
        in_use_count=answer.get("InUseInstanceCount"),
        unhealthy_count=answer.get("UnhealthyInstanceCount"),
        spare_count=answer.get("AvailableSpareInstanceCount"),
    )
