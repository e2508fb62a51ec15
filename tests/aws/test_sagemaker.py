"""HyperPod clusters, training plans and their extensions."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from typing import Any

import pytest
from botocore.stub import Stubber

from clusterwright.aws import sagemaker
from clusterwright.aws.errors import AwsUnavailable
from clusterwright.aws.sagemaker import Cluster, ClusterGroup
from clusterwright.aws.session import AwsSession

ARN = "arn:aws:sagemaker:us-east-1:111122223333:cluster/abc123def456"
PLAN = "arn:aws:sagemaker:us-east-1:111122223333:training-plan/big"
START = dt.datetime(2026, 12, 1, tzinfo=dt.UTC)


@pytest.fixture
def stub(session: AwsSession) -> Iterator[Stubber]:
    with Stubber(session.client("sagemaker")) as stub:
        yield stub


def group(name: str, **more: Any) -> dict[str, Any]:
    return {"InstanceGroupName": name, **more}


def described(session: AwsSession, stub: Stubber, **more: Any) -> Cluster:
    answer = {"ClusterArn": ARN, "ClusterName": "train", "ClusterStatus": "InService", **more}
    stub.add_response("describe_cluster", answer, {"ClusterName": "train"})
    found = sagemaker.cluster(session, "train")
    assert found is not None
    return found


def test_names_of_every_page(session: AwsSession, stub: Stubber) -> None:
    def page(name: str) -> dict[str, Any]:
        summary = {
            "ClusterArn": ARN,
            "ClusterName": name,
            "CreationTime": START,
            "ClusterStatus": "InService",
        }
        return {"ClusterSummaries": [summary]}

    stub.add_response("list_clusters", {**page("train"), "NextToken": "more"})
    stub.add_response("list_clusters", page("dev"), {"NextToken": "more"})
    assert sagemaker.cluster_names(session) == ("train", "dev")


def test_a_group_counts_with_the_larger_of_its_two_counts(
    session: AwsSession, stub: Stubber
) -> None:
    spot = group("spot", InstanceType="ml.p5.4xlarge", CurrentCount=2, TargetCount=1)
    found = described(
        session,
        stub,
        InstanceGroups=[
            group(
                "workers",
                InstanceType="ml.p5.48xlarge",
                CurrentCount=4,
                TargetCount=8,
                TrainingPlanArn=PLAN,
                InstanceStorageConfigs=[
                    {"EbsVolumeConfig": {"VolumeSizeInGB": 500}},
                    {"EbsVolumeConfig": {"RootVolume": True}},
                ],
            ),
            {**spot, "CapacityRequirements": {"Spot": {}}},
        ],
        RestrictedInstanceGroups=[group("nova", InstanceType="ml.p5.48xlarge", TargetCount=1)],
    )
    assert found == Cluster(
        "train",
        ARN,
        "InService",
        (
            ClusterGroup("workers", "ml.p5.48xlarge", 8, False, PLAN, 500),
            ClusterGroup("spot", "ml.p5.4xlarge", 2, True, None, 0),
            ClusterGroup("nova", "ml.p5.48xlarge", 1, False, None, 0),
        ),
    )


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (
            {
                "TargetCount": 5,
                "InstanceTypeDetails": [
                    {"InstanceType": "ml.p5.48xlarge", "CurrentCount": 2},
                    {"InstanceType": "ml.p5en.48xlarge", "CurrentCount": 1},
                ],
            },
            # Two instances are not running yet: they count as the first type.
            [("ml.p5.48xlarge", 4), ("ml.p5en.48xlarge", 1)],
        ),
        (
            {
                "TargetCount": 3,
                "InstanceRequirements": {"DesiredInstanceTypes": ["ml.p5.48xlarge"]},
            },
            [("ml.p5.48xlarge", 3)],
        ),
    ],
)
def test_a_group_of_several_types(
    session: AwsSession, stub: Stubber, answer: dict[str, Any], expected: list[tuple[str, int]]
) -> None:
    found = described(session, stub, InstanceGroups=[group("workers", **answer)])
    assert [(group.instance_type, group.count) for group in found.groups] == expected
    assert {group.name for group in found.groups} == {"workers"}


def test_what_does_not_exist(session: AwsSession, stub: Stubber) -> None:
    stub.add_client_error("describe_cluster", "ResourceNotFound")
    stub.add_client_error("describe_training_plan", "ResourceNotFound")
    assert sagemaker.cluster(session, "train") is None
    assert sagemaker.training_plan(session, "big") is None


def test_a_denial_is_unavailable(session: AwsSession, stub: Stubber) -> None:
    for operation, read in (
        ("describe_cluster", sagemaker.cluster),
        ("describe_training_plan", sagemaker.training_plan),
    ):
        stub.add_client_error(operation, "AccessDeniedException", http_status_code=400)
        with pytest.raises(AwsUnavailable) as caught:
            read(session, "train")
        assert caught.value.reason == "denied"


def test_a_plan_with_its_segments(session: AwsSession, stub: Stubber) -> None:
    stub.add_response(
        "describe_training_plan",
        {
            "TrainingPlanArn": PLAN,
            "TrainingPlanName": "big",
            "Status": "Scheduled",
            "TotalInstanceCount": 16,
            "TargetResources": ["hyperpod-cluster"],
            "StartTime": START,
            "ReservedCapacitySummaries": [
                {
                    "ReservedCapacityArn": PLAN.replace("training-plan", "reserved-capacity"),
                    "InstanceType": "ml.p5.48xlarge",
                    "TotalInstanceCount": 16,
                    "Status": "Scheduled",
                    "AvailabilityZone": "us-east-1a",
                    "StartTime": START,
                }
            ],
        },
        {"TrainingPlanName": "big"},
    )
    segment = sagemaker.ReservedCapacity(
        "ml.p5.48xlarge", 16, "Scheduled", "us-east-1a", None, START, None
    )
    assert sagemaker.training_plan(session, "big") == sagemaker.TrainingPlan(
        "big", PLAN, "Scheduled", "", 16, None, ("hyperpod-cluster",), START, None, (segment,)
    )


def test_a_plan_with_a_new_status_is_unavailable(session: AwsSession, stub: Stubber) -> None:
    def page(status: str) -> dict[str, Any]:
        summary = {"TrainingPlanArn": PLAN, "TrainingPlanName": "big", "Status": status}
        return {"TrainingPlanSummaries": [summary]}

    stub.add_response("list_training_plans", page("Expired"))
    assert [plan.status for plan in sagemaker.training_plans(session)] == ["Expired"]
    stub.add_response("list_training_plans", page("Suspended"))
    with pytest.raises(AwsUnavailable, match="'Suspended' is not known to this version"):
        sagemaker.training_plans(session)


def test_extensions_of_a_plan(session: AwsSession, stub: Stubber) -> None:
    stub.add_response(
        "describe_training_plan_extension_history",
        {
            "TrainingPlanExtensions": [
                {
                    "TrainingPlanExtensionOfferingId": "tpeo-1",
                    "Status": "Active",
                    "PaymentStatus": "Paid",
                    "StartDate": START,
                    "EndDate": START + dt.timedelta(days=7),
                },
                {"TrainingPlanExtensionOfferingId": "tpeo-2"},
            ]
        },
        {"TrainingPlanArn": PLAN},
    )
    assert sagemaker.plan_extensions(session, PLAN) == (
        sagemaker.PlanExtension("Active", "Paid", START, START + dt.timedelta(days=7)),
        sagemaker.PlanExtension("", "", None, None),
    )
