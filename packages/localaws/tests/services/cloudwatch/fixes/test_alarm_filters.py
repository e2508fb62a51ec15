"""Tests of services.cloudwatch.fixes.alarm_filters."""

from __future__ import annotations

from typing import Any

import pytest

from packages.localaws.tests.parts import client, refusal
from packages.localaws.tests.services.cloudwatch.alarm_requests import alarm

TOPIC = "arn:aws:sns:us-east-1:123456789012:alarms"


@pytest.mark.usefixtures("aws")
@pytest.mark.parametrize(
    ("asked", "names"),
    [
        ({}, ["one", "other"]),
        ({"AlarmNames": ["one", "other"], "StateValue": "ALARM"}, ["one"]),
        ({"AlarmNamePrefix": "o", "StateValue": "INSUFFICIENT_DATA"}, ["other"]),
        ({"ActionPrefix": TOPIC[:20]}, ["other"]),
        ({"AlarmTypes": ["CompositeAlarm"]}, []),
    ],
)
def test_all_filters_apply(asked: dict[str, Any], names: list[str]) -> None:
    cloudwatch = client("cloudwatch")
    cloudwatch.put_metric_alarm(**alarm(AlarmName="one"))
    cloudwatch.put_metric_alarm(**alarm(AlarmName="other", OKActions=[TOPIC]))
    cloudwatch.set_alarm_state(AlarmName="one", StateValue="ALARM", StateReason="test")
    found = cloudwatch.describe_alarms(**asked)["MetricAlarms"]
    assert [each["AlarmName"] for each in found] == names


@pytest.fixture
def family(aws: object) -> None:
    """`both` depends on `one` and `inner`, and `inner` on `one`."""
    del aws
    cloudwatch = client("cloudwatch")
    for name in ("one", "other"):
        cloudwatch.put_metric_alarm(**alarm(AlarmName=name))
    for name, rule in (("inner", "OK(one)"), ("both", "OK(one) AND OK(inner)")):
        cloudwatch.put_composite_alarm(AlarmName=name, AlarmRule=rule)


def described(**asked: Any) -> tuple[list[str], list[str]]:
    found = client("cloudwatch").describe_alarms(**asked)
    kinds = found["MetricAlarms"], found["CompositeAlarms"]
    metric, composite = ([each["AlarmName"] for each in kind] for kind in kinds)
    return metric, composite


@pytest.mark.usefixtures("family")
class TestFamilies:
    def test_children(self) -> None:
        assert described(ChildrenOfAlarmName="both") == (["one"], ["inner"])
        types = ["CompositeAlarm"]
        assert described(ChildrenOfAlarmName="both", AlarmTypes=types) == ([], ["inner"])
        for name in ("one", "unknown"):
            assert described(ChildrenOfAlarmName=name) == ([], [])
        found = client("cloudwatch").describe_alarms(ChildrenOfAlarmName="both")
        members = {"AlarmName", "AlarmArn", "StateValue", "StateUpdatedTimestamp"}
        assert set(found["MetricAlarms"][0]) == members

    def test_parents(self) -> None:
        assert described(ParentsOfAlarmName="one") == ([], ["inner", "both"])
        assert described(ParentsOfAlarmName="other") == ([], [])
        found = client("cloudwatch").describe_alarms(ParentsOfAlarmName="inner")
        assert [set(each) for each in found["CompositeAlarms"]] == [{"AlarmName", "AlarmArn"}]

    @pytest.mark.parametrize(
        "more",
        [{"ParentsOfAlarmName": "one"}, {"AlarmNames": ["one"]}, {"StateValue": "OK"}],
    )
    def test_other_filters_are_refused(self, more: dict[str, Any]) -> None:
        found = refusal(client("cloudwatch").describe_alarms, ChildrenOfAlarmName="both", **more)
        assert found[0] == "ValidationError"


@pytest.mark.usefixtures("family")
class TestPages:
    def test_metric_alarms_come_first(self) -> None:
        asked = {"AlarmTypes": ["MetricAlarm", "CompositeAlarm"], "MaxRecords": 3}
        pages = client("cloudwatch").get_paginator("describe_alarms").paginate(**asked)
        names = [
            [
                each["AlarmName"]
                for kind in ("MetricAlarms", "CompositeAlarms")
                for each in page[kind]
            ]
            for page in pages
        ]
        assert names == [["one", "other", "inner"], ["both"]]

    def test_a_page_has_at_most_100_alarms(self) -> None:
        cloudwatch = client("cloudwatch")
        for number in range(99):
            cloudwatch.put_metric_alarm(**alarm(AlarmName=f"a{number}"))
        found = cloudwatch.describe_alarms()
        assert len(found["MetricAlarms"]) == 100
        rest = cloudwatch.describe_alarms(NextToken=found["NextToken"])
        assert len(rest["MetricAlarms"]) == 1
        assert "NextToken" not in rest

    def test_an_unknown_token(self) -> None:
        found = refusal(client("cloudwatch").describe_alarms, NextToken="unknown")
        assert found[0] == "InvalidNextToken"
