"""Tests of services.logs.fixes.identifiers."""

from __future__ import annotations

import pytest

from packages.localaws.tests.parts import client, refusal


@pytest.mark.usefixtures("aws")
def test_group_is_found_by_name_and_by_arn() -> None:
    logs = client("logs")
    for name in ("a", "b"):
        logs.create_log_group(logGroupName=name)
        logs.create_log_stream(logGroupName=name, logStreamName=f"of-{name}")
    (group,) = logs.describe_log_groups(logGroupNamePrefix="a")["logGroups"]
    for identifier in ("a", group["logGroupArn"]):
        (stream,) = logs.describe_log_streams(logGroupIdentifier=identifier)["logStreams"]
        assert stream["logStreamName"] == "of-a"
    missing = refusal(logs.describe_log_streams, logGroupIdentifier="c")
    assert missing == ("ResourceNotFoundException", "The specified log group does not exist.")


@pytest.mark.usefixtures("aws")
def test_missing_stream() -> None:
    logs = client("logs")
    logs.create_log_group(logGroupName="a")
    assert refusal(logs.get_log_events, logGroupName="a", logStreamName="s") == (
        "ResourceNotFoundException",
        "The specified log stream does not exist.",
    )


@pytest.mark.usefixtures("aws")
def test_arn_of_another_account_is_no_group_here() -> None:
    logs = client("logs")
    logs.create_log_group(logGroupName="b")
    (arn,) = [one["logGroupArn"] for one in logs.describe_log_groups()["logGroups"]]
    assert logs.describe_log_streams(logGroupIdentifier=arn)["logStreams"] == []
    other = "arn:aws:logs:eu-west-1:999999999999:log-group:b"
    refused = refusal(logs.describe_log_streams, logGroupIdentifier=other)
    assert refused == ("ResourceNotFoundException", "The specified log group does not exist.")
