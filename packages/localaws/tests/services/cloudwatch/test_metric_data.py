"""Tests of services.cloudwatch.metric_data, datapoints and metric_math."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from packages.localaws.tests.parts import client, refusal

pytestmark = pytest.mark.usefixtures("aws")

START = datetime.now(UTC).replace(second=0, microsecond=0) - timedelta(hours=1)
ONE = [{"Name": "Node", "Value": "one"}]
TWO = [{"Name": "Node", "Value": "two"}]


def put(value: float, minute: float = 0, **more: Any) -> None:
    moment = START + timedelta(minutes=minute)
    datum = {"MetricName": "m", "Value": value, "Timestamp": moment, **more}
    client("cloudwatch").put_metric_data(Namespace="N", MetricData=[datum])


def query(number: int, stat: str = "Sum", period: int = 60, **more: Any) -> dict[str, Any]:
    label = {key: more.pop(key) for key in ("Label", "ReturnData") if key in more}
    metric = {"Namespace": "N", "MetricName": more.pop("name", f"m{number}"), **more}
    return {
        "Id": f"q{number}",
        "MetricStat": {"Metric": metric, "Period": period, "Stat": stat},
        **label,
    }


def request(*queries: Any, **more: Any) -> dict[str, Any]:
    end = START + timedelta(hours=2)
    return {"MetricDataQueries": list(queries), "StartTime": START, "EndTime": end, **more}


def read(*queries: Any, **more: Any) -> Any:
    return client("cloudwatch").get_metric_data(**request(*queries, **more))


def values(*queries: Any, **more: Any) -> list[list[float]]:
    return [each["Values"] for each in read(*queries, **more)["MetricDataResults"]]


class TestMetricData:
    @pytest.mark.parametrize(
        ("second", "labels"),
        [
            ({"stat": "Sum"}, ["m1", "m2"]),
            ({"stat": "Average"}, ["m1 Sum", "m2 Average"]),
            ({"period": 30}, ["m1 60", "m2 30"]),
            ({"stat": "Minimum", "period": 30}, ["m1 Sum 60", "m2 Minimum 30"]),
            ({"Label": "mine"}, ["m1", "mine"]),
        ],
    )
    def test_labels(self, second: dict[str, Any], labels: list[str]) -> None:
        """As recorded on AWS by LocalStack's tests, 2025-09-19."""
        found = read(query(1), query(2, **second))
        assert [result["Label"] for result in found["MetricDataResults"]] == labels
        assert found["Messages"] == []

    def test_a_metric_is_its_namespace_its_name_and_all_its_dimensions(self) -> None:
        """As recorded on AWS by LocalStack's tests, 2025-09-19."""
        put(11, Dimensions=ONE)
        put(7, Dimensions=TWO)
        put(3)
        client("cloudwatch").put_metric_data(
            Namespace="Other",
            MetricData=[{"MetricName": "m", "Value": 1, "Timestamp": START, "Dimensions": ONE}],
        )
        asked = [query(1, name="m"), query(2, name="m", Dimensions=ONE)]
        assert values(*asked, query(3, name="m", Dimensions=[*ONE, *TWO])) == [[3], [11], []]

    def test_periods_begin_at_a_whole_minute(self) -> None:
        put(1, minute=1.25)
        put(2, minute=1.75)
        put(4, minute=2)
        (found,) = read(query(1, name="m"), ScanBy="TimestampAscending")["MetricDataResults"]
        assert found["Values"] == [3, 4]
        assert found["Timestamps"][0] == START + timedelta(minutes=1)
        assert values(query(1, name="m", period=300)) == [[7]]

    def test_statistics(self) -> None:
        for value in (0, 10, 20):
            put(value)
        names = ["Sum", "Average", "Minimum", "Maximum", "SampleCount", "p50", "p75"]
        asked = [query(number, stat, name="m") for number, stat in enumerate(names, 1)]
        assert values(*asked) == [[30], [10], [0], [20], [3], [10], [15]]
        asked = [query(1, "TM(1%:2%)", name="m")]
        refused = refusal(client("cloudwatch").get_metric_data, **request(*asked))
        assert refused[0] == "InvalidParameterValue"

    def test_pages(self) -> None:
        """As recorded on AWS by LocalStack's tests, 2025-09-19: MaxDatapoints limits an answer."""
        for minute in range(5):
            put(minute, minute=minute)
        first = read(query(1, name="m"), MaxDatapoints=3)
        (result,) = first["MetricDataResults"]
        assert (result["Values"], result["StatusCode"]) == ([4, 3, 2], "PartialData")
        second = read(query(1, name="m"), MaxDatapoints=3, NextToken=first["NextToken"])
        (result,) = second["MetricDataResults"]
        assert (result["Values"], result["StatusCode"]) == ([1, 0], "Complete")
        assert "NextToken" not in second

    def test_missing_members(self) -> None:
        cloudwatch = client("cloudwatch")
        stat = {"Metric": {"Namespace": "N"}, "Period": 60, "Stat": "Sum"}
        found = refusal(cloudwatch.get_metric_data, **request({"Id": "a", "MetricStat": stat}))
        name = "MetricDataQueries.member.1.MetricStat"
        text = f"The parameter {name}.Metric.MetricName is required."
        assert (found[0], found[1].strip()) == ("ValidationError", text)
        found = refusal(cloudwatch.get_metric_data, **request({"Id": "a"}))
        assert found[1].strip() == f"The parameter {name} is required."


class TestExpressions:
    def test_arithmetic(self) -> None:
        put(2, MetricName="m1")
        put(3, MetricName="m2")
        put(9, MetricName="m2", minute=1)
        asked = [query(1, ReturnData=False), query(2, ReturnData=False)]
        expressions = ["q1", "q1 + q2", "100 * (q2 - q1) / q2", "-q1", "q2 / (q1 - q1)", "q1 ^ 2"]
        computed = [
            {"Id": f"e{number}", "Expression": text} for number, text in enumerate(expressions)
        ]
        found = values(*asked, *computed)
        assert found[:2] == [[2], [5]]
        assert found[2][0] == pytest.approx(100 / 3)
        assert found[3:] == [[-2], [], [4]]

    @pytest.mark.parametrize(
        "text",
        ["SUM(METRICS())", "SEARCH(m)", "x + 1", "1 + 1", "q1.real", "9 ** 9 ** 9"],
    )
    def test_what_is_refused(self, text: str) -> None:
        asked = request(query(1), {"Id": "e", "Expression": text})
        found = refusal(client("cloudwatch").get_metric_data, **asked)
        assert found[0] == "ValidationError"
        assert text[:10] in found[1]

    def test_expressions_in_any_order(self) -> None:
        put(2, MetricName="m1")
        asked = [{"Id": f"e{n}", "Expression": f"e{n + 1} + e{n + 2}"} for n in range(10)]
        asked += [{"Id": f"e{n}", "Expression": "q1"} for n in (10, 11)]
        assert values(*asked, query(1))[:2] == [[288], [178]]

    @pytest.mark.parametrize("texts", [["e0 + q1"], ["e1 + q1", "e2", "e0"]])
    def test_expressions_that_use_each_other(self, texts: list[str]) -> None:
        asked = [{"Id": f"e{n}", "Expression": text} for n, text in enumerate(texts)]
        found = refusal(client("cloudwatch").get_metric_data, **request(query(1), *asked))
        assert found[0] == "ValidationError"
        assert "e0" in found[1]

    def test_an_id_is_given_once(self) -> None:
        asked = request(query(1), {"Id": "q1", "Expression": "1"})
        found = refusal(client("cloudwatch").get_metric_data, **asked)
        assert found[0] == "ValidationError"
        assert "q1" in found[1]


class TestPeriods:
    @pytest.mark.parametrize(
        ("period", "accepted"), [(1, True), (20, True), (60, True), (7, False), (61, False)]
    )
    def test_periods(self, period: int, accepted: bool) -> None:
        """The periods that the API reference names."""
        cloudwatch = client("cloudwatch")
        end = START + timedelta(minutes=2)
        asked = {**request(query(1, period=period)), "EndTime": end}
        metric = {"Namespace": "N", "MetricName": "m", "Statistics": ["Sum"]}
        times = {"StartTime": START, "EndTime": end, "Period": period}
        if accepted:
            cloudwatch.get_metric_data(**asked)
            cloudwatch.get_metric_statistics(**metric, **times)
            return
        found = refusal(cloudwatch.get_metric_data, **asked)
        assert found[0] == "ValidationError"
        found = refusal(cloudwatch.get_metric_statistics, **metric, **times)
        assert found[0] == "InvalidParameterValue"


class TestStatistics:
    def test_datapoints_of_each_unit(self) -> None:
        """As recorded on AWS by LocalStack's tests, 2025-09-19."""
        put(1, Unit="Seconds")
        put(5, Unit="Count")
        put(10)
        asked = {
            "Namespace": "N",
            "MetricName": "m",
            "StartTime": START,
            "EndTime": START + timedelta(minutes=2),
            "Period": 60,
        }
        cloudwatch = client("cloudwatch")
        found = cloudwatch.get_metric_statistics(**asked, Statistics=["Average"])["Datapoints"]
        assert {each["Unit"]: each["Average"] for each in found} == {
            "Seconds": 1,
            "Count": 5,
            "None": 10,
        }
        (found,) = cloudwatch.get_metric_statistics(
            **asked, ExtendedStatistics=["p99"], Unit="Count"
        )["Datapoints"]
        assert found["ExtendedStatistics"] == {"p99": 5}

    def test_a_metric_with_several_dimensions_is_listed_once(self) -> None:
        """As recorded on AWS by LocalStack's tests, 2025-09-19."""
        dimensions = [{"Name": "Group", "Value": "g"}, *ONE]
        put(1, Dimensions=dimensions)
        put(2, Dimensions=list(reversed(dimensions)))
        put(2)
        put(3)
        found = client("cloudwatch").list_metrics(Namespace="N")["Metrics"]
        assert [len(each["Dimensions"]) for each in found] == [2, 0]
