"""Tests of services.logs.filters."""

from __future__ import annotations

from typing import Any

import pytest

from packages.localaws.tests.parts import client, refusal


@pytest.fixture
def logs(aws: Any) -> Any:
    client("logs").create_log_group(logGroupName="g")
    return client("logs")


def metric(pattern: str, dimensions: int = 0) -> dict[str, Any]:
    one: dict[str, Any] = {"metricName": "m", "metricNamespace": "n", "metricValue": "1"}
    if dimensions:
        one["dimensions"] = {f"d{number}": "$.a" for number in range(dimensions)}
    return {
        "logGroupName": "g",
        "filterName": "f",
        "filterPattern": pattern,
        "metricTransformations": [one],
    }


@pytest.mark.parametrize("pattern", ["{ $.a = 1", "[a, b", " { "])
def test_patterns_that_are_not_closed(logs: Any, pattern: str) -> None:
    expected = ("InvalidParameterException", "Invalid filter pattern")
    assert refusal(logs.put_metric_filter, **metric(pattern)) == expected
    given = {"logGroupName": "g", "filterPattern": pattern}
    assert refusal(logs.filter_log_events, **given) == expected
    arn = "arn:aws:lambda:us-east-1:123456789012:function:f"
    subscription = {**given, "filterName": "f", "destinationArn": arn}
    assert refusal(logs.put_subscription_filter, **subscription) == expected


@pytest.mark.parametrize("pattern", ["", "ERROR", "{ $.a = 1 }", "[a, b]", '"{"', "?a ?b"])
def test_patterns_that_are_taken(logs: Any, pattern: str) -> None:
    logs.put_metric_filter(**metric(pattern))


def test_dimensions_of_a_metric_filter(logs: Any) -> None:
    logs.put_metric_filter(**metric("{ $.a = 1 }", 3))
    found = refusal(logs.put_metric_filter, **metric("{ $.a = 1 }", 4))
    assert found[0] == "InvalidParameterException"


def test_destinations_are_arns(logs: Any) -> None:
    found = refusal(
        logs.put_subscription_filter,
        logGroupName="g",
        filterName="f",
        filterPattern="",
        destinationArn="arn:aws:lambda",
    )
    assert found[0] == "InvalidParameterException"


def test_names_of_log_groups_of_aws(logs: Any) -> None:
    assert refusal(logs.create_log_group, logGroupName="aws/spans") == (
        "InvalidParameterException",
        "Log groups starting with AWS/ are reserved for AWS.",
    )
    logs.create_log_group(logGroupName="/aws/lambda/f")
