"""Tests of services.cloudwatch.metric_values."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from packages.localaws.tests.parts import client, refusal

pytestmark = pytest.mark.usefixtures("aws")
NAME = "MetricData.member.1"
TIME = (
    f"The parameter {NAME}.Timestamp must specify a time no more than two weeks in the past and "
    "no more than two hours in the future."
)


def put(*data: dict[str, Any], namespace: str = "n") -> tuple[str, str]:
    given = [{"MetricName": "m", **one} for one in data]
    return refusal(client("cloudwatch").put_metric_data, Namespace=namespace, MetricData=given)


@pytest.mark.parametrize(
    ("datum", "message"),
    [
        ({"Value": 2.0**361}, f"The value {2.0**361} for parameter {NAME}.Value is invalid."),
        (
            {"Value": 1.0, "StorageResolution": 30},
            f"The value 30 for parameter {NAME}.StorageResolution is invalid.",
        ),
        (
            {"Values": [float(number) for number in range(151)]},
            f"The collection {NAME}.Values must not have a size greater than 150.",
        ),
        (
            {"Value": 1.0, "Dimensions": [{"Name": ":a", "Value": "v"}]},
            f"The value :a for parameter {NAME}.Dimensions.member.1.Name is invalid.",
        ),
        (
            {"Value": 1.0, "Dimensions": [{"Name": "a", "Value": "é"}]},
            f"The value é for parameter {NAME}.Dimensions.member.1.Value is invalid.",
        ),
        (
            {"Value": 1.0, "Dimensions": [{"Name": "a", "Value": " "}]},
            f"The value   for parameter {NAME}.Dimensions.member.1.Value is invalid.",
        ),
    ],
)
def test_data_that_are_refused(datum: dict[str, Any], message: str) -> None:
    assert put(datum) == ("InvalidParameterValue", message)


@pytest.mark.parametrize("hours", [-15 * 24, 3])
def test_times_that_are_refused(hours: int) -> None:
    moment = datetime.now(UTC) + timedelta(hours=hours)
    assert put({"Value": 1.0, "Timestamp": moment}) == ("InvalidParameterValue", TIME)


def test_namespaces_of_aws_and_number_of_metrics() -> None:
    assert put({"Value": 1.0}, namespace="AWS/EC2") == (
        "InvalidParameterValue",
        "The value AWS/ for parameter Namespace is invalid.",
    )
    assert put(*[{"Value": 1.0}] * 1001) == (
        "InvalidParameterValue",
        "The collection MetricData must not have a size greater than 1000.",
    )


def test_data_that_are_taken() -> None:
    now = datetime.now(UTC)
    client("cloudwatch").put_metric_data(
        Namespace="AWSome",
        MetricData=[
            {"MetricName": "m", "Value": -(2.0**360), "StorageResolution": 1},
            {"MetricName": "m", "Values": [1.0] * 150, "Timestamp": now + timedelta(hours=1)},
            {
                "MetricName": "m",
                "Value": 1.0,
                "Timestamp": now - timedelta(days=13),
                "Dimensions": [{"Name": "a:b", "Value": ": v"}],
            },
        ],
    )
