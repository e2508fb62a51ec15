"""Tests of services.cloudwatch.metric_insights."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from typing import Any

import pytest

from clusterwright_localaws import local_aws
from packages.localaws.tests.parts import client, refusal

NOW = dt.datetime.now(dt.UTC)
SPAN = {"StartTime": NOW - dt.timedelta(hours=1), "EndTime": NOW + dt.timedelta(hours=1)}


@pytest.fixture(autouse=True)
def _data() -> Iterator[None]:
    with local_aws():
        data = [
            ("GPUs", {"Node": "a", "Zone": "1"}, 4.0),
            ("GPUs", {"Node": "b", "Zone": "1"}, 8.0),
            ("GPUs", {"Node": "b", "Zone": "2"}, 1.0),
            ("GPUs", {"Zone": "1"}, 100.0),
            ("Other", {"Node": "a", "Zone": "1"}, 1000.0),
        ]
        client("cloudwatch").put_metric_data(
            Namespace="Test/Nodes",
            MetricData=[
                {
                    "MetricName": name,
                    "Timestamp": NOW,
                    "Value": value,
                    "Dimensions": [{"Name": k, "Value": v} for k, v in dimensions.items()],
                }
                for name, dimensions, value in data
            ],
        )
        yield


def query(text: str, **more: Any) -> dict[str, Any]:
    return {**SPAN, "MetricDataQueries": [{"Id": "q", "Period": 60, "Expression": text, **more}]}


def results(text: str, **more: Any) -> list[tuple[str, list[float]]]:
    found = client("cloudwatch").get_metric_data(**query(text, **more))["MetricDataResults"]
    assert {each["Id"] for each in found} <= {"q"}
    return [(each["Label"], each["Values"]) for each in found]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('SELECT SUM(GPUs) FROM "Test/Nodes"', [("q", [113.0])]),
        ('SELECT AVG(GPUs) FROM SCHEMA("Test/Nodes", Node, Zone)', [("q", [13 / 3])]),
        ('SELECT COUNT("GPUs") FROM SCHEMA("Test/Nodes", Zone)', [("q", [1.0])]),
        ("SELECT MAX(GPUs) FROM \"Test/Nodes\" WHERE Node = 'b'", [("q", [8.0])]),
        (
            "select min(GPUs) from \"Test/Nodes\" where \"Node\" = 'b' and Zone != '1'",
            [("q", [1.0])],
        ),
        ('SELECT SUM(GPUs) FROM "Test/Nodes" GROUP BY Node', [("a", [4.0]), ("b", [9.0])]),
        (
            'SELECT SUM(GPUs) FROM "Test/Nodes" GROUP BY Node, Zone ORDER BY MAX() DESC LIMIT 2',
            [("b 1", [8.0]), ("a 1", [4.0])],
        ),
        ("SELECT SUM(GPUs) FROM \"Test/Nodes\" WHERE Node = 'x' GROUP BY Node", []),
        ('SELECT SUM(None) FROM "Test/Nodes"', [("q", [])]),
    ],
)
def test_queries(text: str, expected: list[tuple[str, list[float]]]) -> None:
    assert results(text) == expected


def test_a_label_replaces_the_group() -> None:
    text = "SELECT SUM(GPUs) FROM \"Test/Nodes\" WHERE Node = 'a' GROUP BY Node"
    assert results(text, Label="nodes") == [("nodes", [4.0])]


@pytest.mark.parametrize(
    "text",
    [
        "SELECT SUM(GPUs)",
        'SELECT MEDIAN(GPUs) FROM "Test/Nodes"',
        "SELECT SUM(GPUs) FROM \"Test/Nodes\" WHERE Node = 'a' OR Node = 'b'",
        'SELECT SUM(GPUs) FROM "Test/Nodes" ' + "WHERE a = " * 180,
    ],
)
def test_other_queries_are_refused(text: str) -> None:
    code, message = refusal(client("cloudwatch").get_metric_data, **query(text))
    assert code == "ValidationError"
    assert "does not implement the query" in message


def test_a_query_needs_a_period() -> None:
    request = query('SELECT SUM(GPUs) FROM "Test/Nodes"')
    del request["MetricDataQueries"][0]["Period"]
    code, message = refusal(client("cloudwatch").get_metric_data, **request)
    assert (code, "member.1.Period is required" in message) == ("ValidationError", True)
