"""Tests of services.logs.queries."""

from __future__ import annotations

from typing import Any

import pytest

from clusterwright_localaws.core.runtime import Runtime
from packages.localaws.tests.parts import client, refusal

DAY = 86_400
REFUSED = (
    "MalformedQueryException",
    "Query's end date and time is either before the log groups creation time or exceeds the log "
    "groups log retention settings",
)


def query(ends: float, **more: Any) -> dict[str, Any]:
    one = {} if more else {"logGroupName": "g"}
    return {"startTime": 0, "endTime": int(ends), "queryString": "fields @message", **one, **more}


@pytest.fixture
def now(aws: Runtime) -> float:
    client("logs").create_log_group(logGroupName="g")
    return aws.clock.now().timestamp()


def test_a_query_ends_after_its_group_was_created(now: float) -> None:
    logs = client("logs")
    assert refusal(logs.start_query, **query(now - DAY)) == REFUSED
    assert refusal(logs.start_query, **query((now - DAY) * 1000)) == REFUSED
    for ends in (now, now * 1000, now + DAY):
        assert logs.start_query(**query(ends))["queryId"]


def test_a_query_ends_within_the_retention(aws: Runtime, now: float) -> None:
    logs = client("logs")
    aws.clock.advance(10 * DAY)
    assert logs.start_query(**query(now + DAY))["queryId"]
    logs.put_retention_policy(logGroupName="g", retentionInDays=3)
    assert refusal(logs.start_query, **query(now + DAY)) == REFUSED
    logs.create_log_group(logGroupName="other")
    assert logs.start_query(**query(now + DAY, logGroupNames=["g", "other"]))["queryId"]
    assert logs.start_query(**query(now + 8 * DAY))["queryId"]


def test_a_group_that_does_not_exist(now: float) -> None:
    found = refusal(client("logs").start_query, **query(now, logGroupNames=["absent"]))
    assert found[0] == "ResourceNotFoundException"


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"logGroupNames": []}, "A query has a log group."),
        ({"queryString": "SOURCE logGroups()"}, "does not implement log groups that a query"),
        ({"queryString": " source logGroups() | limit 1"}, "does not implement log groups that"),
        (
            {"queryString": "SELECT 1 FROM `g`", "queryLanguage": "SQL"},
            "does not implement log groups that a query",
        ),
        ({"queryString": "fields @message | filter a = 'SOURCE'"}, "A query has a log group."),
    ],
)
def test_queries_without_names_of_groups(now: float, given: dict[str, Any], words: str) -> None:
    code, message = refusal(client("logs").start_query, **query(now, **given))
    assert (code, words in message) == ("InvalidParameterException", True)


@pytest.mark.parametrize("identifier", ["g", "arn:aws:logs:us-east-1:{account}:log-group:g"])
def test_groups_by_identifier(now: float, identifier: str) -> None:
    logs = client("logs")
    account = client("sts").get_caller_identity()["Account"]
    asked = query(now + DAY, logGroupIdentifiers=[identifier.format(account=account)])
    asked.pop("logGroupName", None)
    found = logs.start_query(**asked)["queryId"]
    assert logs.get_query_results(queryId=found)["status"] == "Complete"
    absent = refusal(logs.start_query, **{**asked, "logGroupIdentifiers": ["absent"]})
    assert absent[0] == "ResourceNotFoundException"
