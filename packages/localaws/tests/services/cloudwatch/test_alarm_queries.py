"""Tests of services.cloudwatch.alarm_queries."""

from __future__ import annotations

from typing import Any

import pytest

from packages.localaws.tests.parts import client, refusal

pytestmark = pytest.mark.usefixtures("aws")


def query(name: str, *, watched: bool = False) -> dict[str, Any]:
    metric = {"Namespace": "n", "MetricName": "m"}
    stat = {"Metric": metric, "Period": 60, "Stat": "Sum"}
    return {"Id": name, "MetricStat": stat, "ReturnData": watched}


def alarm(*queries: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {
        "AlarmName": "a",
        "EvaluationPeriods": 1,
        "ComparisonOperator": "GreaterThanThreshold",
        **({} if "ThresholdMetricId" in more else {"Threshold": 1.0}),
        "Metrics": list(queries),
        **more,
    }


EXPRESSION = {"Id": "e", "Expression": "m0 * 2", "ReturnData": True}


@pytest.mark.parametrize(
    ("queries", "words"),
    [
        ([query("m0")], "Exactly one element of the metrics list should return data."),
        (
            [query("m0", watched=True), query("m1", watched=True)],
            "Exactly one element of the metrics list should return data.",
        ),
        ([query("m0"), query("m0", watched=True)], "Invalid metrics list"),
        ([query("M0", watched=True)], "Invalid metrics list"),
        ([{**query("m0", watched=True), "Expression": "1"}], "Exactly one of Expression"),
        ([{"Id": "m0", "ReturnData": True}], "Exactly one of Expression"),
        ([*(query(f"m{number}") for number in range(11)), EXPRESSION], "at most 10 queries"),
    ],
)
def test_metrics_that_are_refused(queries: list[dict[str, Any]], words: str) -> None:
    code, message = refusal(client("cloudwatch").put_metric_alarm, **alarm(*queries))
    assert code == "ValidationError"
    assert words in message


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *(("Namespace", "n"), ("MetricName", "m"), ("Period", 60), ("Unit", "Count")),
        *(("Statistic", "Sum"), ("ExtendedStatistic", "p90")),
        ("Dimensions", [{"Name": "a", "Value": "b"}]),
    ],
)
def test_members_of_one_metric_beside_metrics(name: str, value: Any) -> None:
    given = alarm(query("m0", watched=True), **{name: value})
    assert refusal(client("cloudwatch").put_metric_alarm, **given) == (
        "ValidationError",
        f"{name} should not be set if list of Metrics is set.",
    )


def test_an_alarm_without_a_metric_is_refused() -> None:
    given = alarm()
    del given["Metrics"]
    expected = ("ValidationError", "MetricName must not be null")
    assert refusal(client("cloudwatch").put_metric_alarm, **given) == expected


def test_metrics_that_are_taken() -> None:
    put = client("cloudwatch").put_metric_alarm
    put(**alarm(*(query(f"m{number}") for number in range(10)), EXPRESSION))
    put(**alarm({"Id": "m0", "MetricStat": query("m0")["MetricStat"]}))


def test_bands_of_anomaly_detectors() -> None:
    put = client("cloudwatch").put_metric_alarm
    band = {"Id": "band", "Expression": "ANOMALY_DETECTION_BAND(m0)", "ReturnData": True}
    given = {"ComparisonOperator": "GreaterThanUpperThreshold", "ThresholdMetricId": "band"}
    put(**alarm(query("m0", watched=True), band, **given))
    found = refusal(put, **alarm(query("m0", watched=True), **given))
    assert found[0] == "ValidationError"


@pytest.mark.parametrize("statistic", ["p101", "p-1", "foo"])
def test_statistics_that_are_refused(statistic: str) -> None:
    found = refusal(client("cloudwatch").put_metric_alarm, **plain(ExtendedStatistic=statistic))
    assert found == (
        "InvalidParameterValue",
        f"The value {statistic} for parameter ExtendedStatistic is not supported.",
    )


def test_treatment_of_missing_data() -> None:
    given = plain(Statistic="Sum")
    for treatment in ("breaching", "notBreaching", "ignore", "missing"):
        client("cloudwatch").put_metric_alarm(**given, TreatMissingData=treatment)
    found = refusal(client("cloudwatch").put_metric_alarm, **given, TreatMissingData="foo")
    assert found[0] == "ValidationError"


def plain(**statistic: str) -> dict[str, Any]:
    return {
        "AlarmName": "a",
        "Namespace": "n",
        "MetricName": "m",
        "Period": 60,
        "EvaluationPeriods": 1,
        "Threshold": 1.0,
        "ComparisonOperator": "GreaterThanThreshold",
        **statistic,
    }
