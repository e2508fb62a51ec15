"""Alarms and dashboards of a template."""

from __future__ import annotations

from typing import Any

import pytest

from clusterwright_localaws.services.cloudwatch.cfn import Alarm, CompositeAlarm, Dashboard
from packages.localaws.tests.handlers import context, tags
from packages.localaws.tests.parts import client

pytestmark = pytest.mark.usefixtures("local")

ALARM: dict[str, Any] = {
    "Namespace": "AWS/EC2",
    "MetricName": "CPUUtilization",
    "Statistic": "Maximum",
    "ComparisonOperator": "GreaterThanThreshold",
    "EvaluationPeriods": 1,
    "Period": 60,
    "Threshold": 1.0,
}


def tags_of(arn: str) -> dict[str, str]:
    found = client("cloudwatch").list_tags_for_resource(ResourceARN=arn)["Tags"]
    return {tag["Key"]: tag["Value"] for tag in found}


def test_an_alarm() -> None:
    before = {**ALARM, "Tags": tags(a="1")}
    created = Alarm().create(context(), before)
    name, arn = created.physical_id, created.attributes["Arn"]
    assert arn.endswith(f":alarm:{name}")
    found = Alarm().read(context(), name, before)
    assert found is not None
    assert {key: found[key] for key in ALARM} == ALARM
    assert found["AlarmName"] == name
    Alarm().update(context(), name, before, {**ALARM, "Threshold": 2.0, "Tags": tags(b="2")})
    found = Alarm().read(context(), name, {})
    assert found is not None
    assert found["Threshold"] == 2.0
    assert tags_of(arn) == {"b": "2"}
    Alarm().delete(context(), name, ALARM)
    assert Alarm().read(context(), name, {}) is None


def test_a_dashboard_has_the_tags_of_its_stack() -> None:
    created = Dashboard().create(
        context(stack_tags={"team": "a"}),
        {"DashboardName": "board", "DashboardBody": {"widgets": []}},
    )
    assert created.physical_id == "board"
    cloudwatch = client("cloudwatch")
    found = cloudwatch.get_dashboard(DashboardName="board")
    assert found["DashboardBody"] == '{"widgets": []}'
    assert tags_of(found["DashboardArn"]) == {"team": "a"}
    old, new = {"DashboardBody": "{}"}, {"DashboardBody": '{"widgets": [], "start": "-PT1H"}'}
    Dashboard().update(context(previous_stack_tags={"team": "a"}), "board", old, new)
    assert tags_of(found["DashboardArn"]) == {}
    assert "PT1H" in cloudwatch.get_dashboard(DashboardName="board")["DashboardBody"]
    Dashboard().delete(context(), "board", new)
    assert cloudwatch.list_dashboards()["DashboardEntries"] == []


def test_a_composite_alarm() -> None:
    client("cloudwatch").put_metric_alarm(AlarmName="child", **ALARM)
    before = {"AlarmRule": "ALARM(child)", "Tags": tags(a="1")}
    created = CompositeAlarm().create(context(), before)
    name, arn = created.physical_id, created.attributes["Arn"]
    assert arn.endswith(f":alarm:{name}")
    found = CompositeAlarm().read(context(), name, before)
    assert found is not None
    assert (found["AlarmName"], found["AlarmRule"]) == (name, "ALARM(child)")
    after = {"AlarmRule": "OK(child)", "AlarmDescription": "d", "Tags": tags(b="2")}
    CompositeAlarm().update(context(), name, before, after)
    assert tags_of(arn) == {"b": "2"}
    assert CompositeAlarm().exists(context(), name, after)
    CompositeAlarm().delete(context(), name, after)
    assert not CompositeAlarm().exists(context(), name, after)
