"""Usage of quotas as a metric."""

from __future__ import annotations

import datetime as dt
from typing import Any

from clusterwright_localaws import local_aws
from clusterwright_localaws.core.call import Call
from clusterwright_localaws.core.runtime import Runtime
from clusterwright_localaws.services.cloudwatch.quota_usage import usage_metric
from clusterwright_localaws.worlds.model import World
from packages.localaws.tests.parts import client

KEYS = ("kms", "L-C2F1777E")
WORLD: dict[str, Any] = {"usage": {"/".join(KEYS): 3}}


def statistics(metric: dict[str, Any], **more: Any) -> list[dict[str, Any]]:
    now = dt.datetime.now(dt.UTC)
    request = {
        "Namespace": metric["MetricNamespace"],
        "MetricName": metric["MetricName"],
        "Dimensions": [
            {"Name": name, "Value": value} for name, value in metric["MetricDimensions"].items()
        ],
        "StartTime": now - dt.timedelta(hours=1),
        "EndTime": now,
        "Period": 300,
        "Statistics": ["Maximum"],
        **more,
    }
    return list(client("cloudwatch").get_metric_statistics(**request)["Datapoints"])


def metric(world: dict[str, Any]) -> dict[str, Any]:
    runtime = Runtime(World.model_validate(world))
    found = usage_metric(Call("service-quotas", "Get", "1", "us-east-1", runtime), *KEYS)
    return dict(found.get("UsageMetric", {}))


def test_a_quota_has_a_metric_where_the_world_states_its_usage() -> None:
    assert metric({}) == {}
    assert metric(WORLD) == {
        "MetricNamespace": "AWS/Usage",
        "MetricName": "ResourceCount",
        "MetricDimensions": {
            "Service": "kms",
            "Resource": "L-C2F1777E",
            "Type": "Resource",
            "Class": "None",
        },
        "MetricStatisticRecommendation": "Maximum",
    }


def test_the_metric_counts_own_resources_and_those_of_others() -> None:
    with local_aws(**WORLD):
        client("kms").create_key()
        (point,) = statistics(metric(WORLD), Statistics=["Maximum", "Average"])
        assert (point["Maximum"], point["Average"]) == (4.0, 4.0)


def test_what_the_world_does_not_state_has_no_datapoints() -> None:
    with local_aws():
        assert statistics(metric(WORLD)) == []


def test_other_namespaces_are_motos() -> None:
    with local_aws(**WORLD):
        assert statistics(metric(WORLD), Namespace="AWS/EC2") == []


def test_metric_data_have_what_the_statistics_have() -> None:
    with local_aws(**WORLD):
        named = metric(WORLD)
        end = dt.datetime.now(dt.UTC)
        dimensions = [
            {"Name": name, "Value": value} for name, value in named["MetricDimensions"].items()
        ]
        asked = {"Namespace": named["MetricNamespace"], "MetricName": named["MetricName"]}
        stat = {"Metric": {**asked, "Dimensions": dimensions}, "Period": 300, "Stat": "Maximum"}
        found = client("cloudwatch").get_metric_data(
            MetricDataQueries=[
                {"Id": "a", "MetricStat": stat},
                {"Id": "b", "Expression": "2 * a"},
                {"Id": "c", "MetricStat": {**stat, "Stat": "Sum"}},
                {"Id": "d", "MetricStat": {**stat, "Unit": "Bytes"}},
            ],
            StartTime=end - dt.timedelta(hours=1),
            EndTime=end,
        )["MetricDataResults"]
        assert [each["Values"] for each in found] == [[3.0], [6.0], [], []]
        (moment,) = found[0]["Timestamps"]
        assert end - dt.timedelta(seconds=300) <= moment < end
