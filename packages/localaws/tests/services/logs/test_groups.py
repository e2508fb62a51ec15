"""Tests of services.logs.groups."""

from __future__ import annotations

from typing import Any

import pytest

from packages.localaws.tests.parts import client, refusal

pytestmark = pytest.mark.usefixtures("aws")


@pytest.fixture
def logs() -> Any:
    made = client("logs")
    for name in ("/app/web", "/app/worker", "/batch/worker"):
        made.create_log_group(logGroupName=name)
    made.create_log_group(logGroupName="/rare", logGroupClass="INFREQUENT_ACCESS")
    return made


def names(answer: Any) -> list[str]:
    return [group["logGroupName"] for group in answer["logGroups"]]


def test_groups_by_a_part_of_their_name(logs: Any) -> None:
    found = logs.describe_log_groups(logGroupNamePattern="worker")
    assert names(found) == ["/app/worker", "/batch/worker"]
    assert names(logs.describe_log_groups(logGroupNamePattern="WORKER")) == []
    assert names(logs.describe_log_groups(logGroupClass="INFREQUENT_ACCESS")) == ["/rare"]
    first = logs.describe_log_groups(logGroupNamePattern="worker", limit=1)
    rest = logs.describe_log_groups(
        logGroupNamePattern="worker", limit=1, nextToken=first["nextToken"]
    )
    assert names(first) + names(rest) == ["/app/worker", "/batch/worker"]


def test_prefix_and_pattern_exclude_each_other(logs: Any) -> None:
    assert refusal(
        logs.describe_log_groups, logGroupNamePattern="app", logGroupNamePrefix="/app"
    ) == (
        "InvalidParameterException",
        "LogGroup name prefix and LogGroup name pattern are mutually exclusive parameters.",
    )


def test_list_of_groups(logs: Any) -> None:
    assert len(names(logs.list_log_groups())) == 4
    found = logs.list_log_groups(logGroupNamePattern="^/batch|web")
    assert names(found) == ["/app/web", "/batch/worker"]
    assert found["logGroups"][0] == {
        "logGroupName": "/app/web",
        "logGroupArn": "arn:aws:logs:us-east-1:123456789012:log-group:/app/web",
        "logGroupClass": "STANDARD",
    }
    assert names(logs.list_log_groups(logGroupClass="INFREQUENT_ACCESS")) == ["/rare"]


def test_name_and_identifier_exclude_each_other(logs: Any) -> None:
    assert refusal(
        logs.describe_log_streams, logGroupName="/rare", logGroupIdentifier="/rare"
    ) == (
        "ValidationException",
        "LogGroup name and LogGroup ARN are mutually exclusive parameters.",
    )


def test_messages_with_the_refused_value(logs: Any) -> None:
    assert refusal(logs.filter_log_events, logGroupName="/rare", limit=10001) == (
        "InvalidParameterException",
        "1 validation error detected: Value '10001' at 'limit' failed to satisfy constraint: "
        "Member must have value less than or equal to 10000",
    )
    events = {"logGroupName": "/rare", "limit": 10001}
    assert refusal(logs.get_log_events, logStreamName="s", **events) == refusal(
        logs.filter_log_events, **events
    )
    code, message = refusal(
        logs.put_delivery_destination,
        name="d",
        outputFormat="none",
        deliveryDestinationConfiguration={"destinationResourceArn": "arn:aws:s3:::b"},
    )
    assert code == "ValidationException"
    assert "Value 'none' at 'outputFormat'" in message


def test_namespace_of_a_metric_filter_has_a_colon(logs: Any) -> None:
    metric = {"metricName": "m", "metricNamespace": "a/b#1:c", "metricValue": "1"}
    logs.put_metric_filter(
        logGroupName="/rare", filterName="f", filterPattern="", metricTransformations=[metric]
    )
