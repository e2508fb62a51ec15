"""Prices of training plans: offerings and upfront fees."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import Any

import pytest
from botocore.stub import Stubber

from clusterwright.aws import training_plans
from clusterwright.aws.session import AwsSession

ARN = "arn:aws:sagemaker:us-east-1:111122223333:training-plan/big"
START = dt.datetime(2026, 12, 1, tzinfo=dt.UTC)
OFFER = {"TrainingPlanOfferingId": "tpo-1", "TargetResources": ["hyperpod-cluster"]}
BOUGHT = {
    "TrainingPlanArn": ARN,
    "TrainingPlanName": "big",
    "Status": "Active",
    "TotalInstanceCount": 16,
    "DurationHours": 24,
    "DurationMinutes": 30,
    "UpfrontFee": "1000.50",
    "CurrencyCode": "USD",
    "StartTime": START,
}


def test_the_lowest_price_of_an_instance_hour(session: AwsSession) -> None:
    offers = [
        {**OFFER, "DurationHours": 24, "UpfrontFee": "2400", "CurrencyCode": "USD"},
        {**OFFER, "DurationHours": 23, "DurationMinutes": 30, "UpfrontFee": "1175"},
        {**OFFER, "DurationHours": 24, "UpfrontFee": "24", "CurrencyCode": "CNY"},
        {**OFFER, "DurationHours": 24, "UpfrontFee": "free"},
        {**OFFER, "UpfrontFee": "1"},
    ]
    with Stubber(session.client("sagemaker")) as stub:
        stub.add_response(
            "search_training_plan_offerings",
            {"TrainingPlanOfferings": offers},
            {
                "InstanceType": "ml.p5.48xlarge",
                "InstanceCount": 1,
                "DurationHours": 24,
                "TargetResources": ["hyperpod-cluster"],
            },
        )
        assert training_plans.training_plan_offer(session, "p5.48xlarge") == 50


def test_no_offer(session: AwsSession) -> None:
    with Stubber(session.client("sagemaker")) as stub:
        stub.add_response("search_training_plan_offerings", {"TrainingPlanOfferings": []})
        assert training_plans.training_plan_offer(session, "p5.48xlarge") is None


@pytest.mark.parametrize(
    ("changes", "fee"),
    [
        ({}, Decimal("1000.50")),
        ({"CurrencyCode": "CNY"}, None),
        ({"UpfrontFee": "0"}, None),
    ],
)
def test_what_was_paid(session: AwsSession, changes: dict[str, Any], fee: Decimal | None) -> None:
    with Stubber(session.client("sagemaker")) as stub:
        stub.add_response(
            "describe_training_plan", {**BOUGHT, **changes}, {"TrainingPlanName": "big"}
        )
        assert training_plans.bought_plan(session, ARN) == training_plans.BoughtPlan(
            ARN, 16, Decimal("24.5"), fee, START, None
        )


@pytest.mark.parametrize(
    "missing", [("DurationHours", "DurationMinutes"), ("TotalInstanceCount",)]
)
def test_a_plan_without_length_or_instances(session: AwsSession, missing: tuple[str, ...]) -> None:
    answer = {key: value for key, value in BOUGHT.items() if key not in missing}
    with Stubber(session.client("sagemaker")) as stub:
        stub.add_response("describe_training_plan", answer)
        assert training_plans.bought_plan(session, ARN) is None


def test_a_plan_that_does_not_exist(session: AwsSession) -> None:
    with Stubber(session.client("sagemaker")) as stub:
        stub.add_client_error("describe_training_plan", "ResourceNotFound")
        assert training_plans.bought_plan(session, ARN) is None
