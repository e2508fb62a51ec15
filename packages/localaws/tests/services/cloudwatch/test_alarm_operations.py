"""Tests of services.cloudwatch.alarm_operations and transitions."""

from __future__ import annotations

import json
from typing import Any

import pytest

from packages.localaws.tests.parts import client, refusal
from packages.localaws.tests.services.cloudwatch.alarm_requests import alarm

pytestmark = pytest.mark.usefixtures("aws")


def put(name: str, **more: Any) -> str:
    cloudwatch = client("cloudwatch")
    cloudwatch.put_metric_alarm(**alarm(AlarmName=name, **more))
    (found,) = cloudwatch.describe_alarms(AlarmNames=[name])["MetricAlarms"]
    return str(found["AlarmArn"])


def composite(name: str = "both") -> Any:
    found = client("cloudwatch").describe_alarms(AlarmNames=[name], AlarmTypes=["CompositeAlarm"])
    assert found["MetricAlarms"] == []
    return found["CompositeAlarms"][0]


def change(name: str, state: str) -> None:
    client("cloudwatch").set_alarm_state(AlarmName=name, StateValue=state, StateReason="test")


def put_composite(name: str, rule: str, **more: Any) -> None:
    client("cloudwatch").put_composite_alarm(AlarmName=name, AlarmRule=rule, **more)


def states(*names: str) -> list[str]:
    found = client("cloudwatch").describe_alarms(
        AlarmNames=list(names), AlarmTypes=["CompositeAlarm"]
    )
    by_name = {each["AlarmName"]: each["StateValue"] for each in found["CompositeAlarms"]}
    return [by_name[name] for name in names]


def topic() -> tuple[str, str]:
    """Return a topic's ARN, and the URL of a queue that is subscribed to it."""
    arn: str = client("sns").create_topic(Name="alarms")["TopicArn"]
    url: str = client("sqs").create_queue(QueueName="alarms")["QueueUrl"]
    queue = "arn:aws:sqs:us-east-1:123456789012:alarms"
    client("sns").subscribe(TopicArn=arn, Protocol="sqs", Endpoint=queue)
    return arn, url


def messages(url: str) -> list[Any]:
    found = client("sqs").receive_message(QueueUrl=url, MaxNumberOfMessages=10)
    bodies = [json.loads(each["Body"]) for each in found.get("Messages", [])]
    return [(body["Subject"], json.loads(body["Message"])) for body in bodies]


class TestCompositeAlarms:
    def test_state_follows_the_alarms_of_the_rule(self) -> None:
        """As recorded on AWS by LocalStack's tests, 2025-09-19; texts as in AWS's examples."""
        arn, url = topic()
        first, second = put("one"), put("two")
        rule = f'ALARM("{first}") OR ALARM("{second}")'
        client("cloudwatch").put_composite_alarm(
            AlarmName="both", AlarmRule=rule, AlarmActions=[arn]
        )
        new = composite()
        assert (new["StateValue"], new["AlarmRule"], new["OKActions"]) == ("OK", rule, [])
        assert new["StateReason"].endswith("was created and its alarm rule evaluates to OK")
        triggers = json.loads(new["StateReasonData"])["triggeringAlarms"]
        assert [each["arn"] for each in triggers] == [first, second]
        change("one", "ALARM")
        changed = composite()
        assert changed["StateValue"] == "ALARM"
        assert changed["StateReason"].startswith(f"{first} transitioned to ALARM at ")
        (trigger,) = json.loads(changed["StateReasonData"])["triggeringAlarms"]
        assert (trigger["arn"], trigger["state"]["value"]) == (first, "ALARM")
        change("two", "ALARM")
        assert composite()["StateReason"] == changed["StateReason"]
        ((subject, message),) = messages(url)
        assert subject == 'ALARM: "both" in US East (N. Virginia)'
        assert message["TriggeringChildren"][0]["Arn"] == first
        assert message["TriggeringChildren"][0]["State"]["Value"] == "ALARM"

    def test_metric_alarms_only_unless_the_type_is_asked(self) -> None:
        put("one")
        client("cloudwatch").put_composite_alarm(AlarmName="both", AlarmRule="OK(one)")
        found = client("cloudwatch").describe_alarms()
        assert [each["AlarmName"] for each in found["MetricAlarms"]] == ["one"]
        assert found["CompositeAlarms"] == []

    def test_what_is_refused(self) -> None:
        cloudwatch = client("cloudwatch")
        put("one")
        unknown = refusal(cloudwatch.put_composite_alarm, AlarmName="x", AlarmRule="OK(two)")
        text = "Could not save the composite alarm as alarms [two] in the alarm rule do not exist"
        assert unknown == ("ValidationError", text)
        cloudwatch.put_composite_alarm(AlarmName="both", AlarmRule="OK(one)")
        needed = refusal(cloudwatch.delete_alarms, AlarmNames=["one"])
        text = "Cannot delete one as there are composite alarm(s) depending on it."
        assert needed == ("ValidationError", text)
        cloudwatch.delete_alarms(AlarmNames=["one", "both"])
        assert cloudwatch.describe_alarms()["MetricAlarms"] == []

    def test_alarms_of_other_places_do_not_exist(self) -> None:
        home = put("one").removesuffix("one")
        put_composite("both", f'OK("{home}one")')
        for place in (":us-west-2:123456789012:", ":us-east-1:210987654321:"):
            arn = f"arn:aws:cloudwatch{place}alarm:one"
            found = refusal(
                client("cloudwatch").put_composite_alarm, AlarmName="x", AlarmRule=f"OK({arn})"
            )
            assert found[0] == "ValidationError"
            assert f"alarms [{arn}] in the alarm rule do not exist" in found[1]

    def test_one_composite_alarm_is_deleted_at_a_time(self) -> None:
        put("one")
        put_composite("a", "OK(one)")
        put_composite("b", "OK(one)")
        delete = client("cloudwatch").delete_alarms
        assert refusal(delete, AlarmNames=["a", "b"])[0] == "ValidationError"
        delete(AlarmNames=["a"])
        delete(AlarmNames=["b", "one", "unknown"])
        assert client("cloudwatch").describe_alarms()["MetricAlarms"] == []

    def test_alarms_of_a_cycle(self) -> None:
        """As the API reference says of PutCompositeAlarm and DeleteAlarms."""
        put("one")
        put_composite("a", "ALARM(one)")
        put_composite("b", "ALARM(a)")
        put_composite("a", "ALARM(one) OR NOT ALARM(b)")
        put_composite("c", "ALARM(b)")
        change("one", "ALARM")
        assert states("a", "b", "c") == ["ALARM", "ALARM", "ALARM"]
        put_composite("itself", "FALSE")
        put_composite("itself", "NOT ALARM(itself)")
        for name in ("a", "b", "itself"):
            assert refusal(client("cloudwatch").delete_alarms, AlarmNames=[name]) == (
                "ValidationError",
                f"Cannot delete {name} as there are composite alarm(s) depending on it.",
            )
        for name in ("itself", "a"):
            put_composite(name, "FALSE")
        for name in ("itself", "c", "b", "a"):
            client("cloudwatch").delete_alarms(AlarmNames=[name])

    def test_each_alarm_is_evaluated_once_after_all_that_it_depends_on(self) -> None:
        """No alarm rings although two of those that it names contradict each other meanwhile."""
        put("x0")
        levels = 24
        for level in range(levels):
            here, there, following = f"x{level}", f"y{level}", f"x{level + 1}"
            put_composite(following, "FALSE")
            put_composite(there, f"ALARM({here})")
            put_composite(following, f"ALARM({here}) AND NOT ALARM({there})")
        change("x0", "ALARM")
        assert states(*(f"y{level}" for level in range(2))) == ["ALARM", "OK"]
        asked = {"AlarmTypes": ["CompositeAlarm"], "HistoryItemType": "StateUpdate"}
        pages = client("cloudwatch").get_paginator("describe_alarm_history").paginate(**asked)
        updates = [item["AlarmName"] for page in pages for item in page["AlarmHistoryItems"]]
        assert updates.count("y0") == 2
        assert {updates.count(f"x{level}") for level in range(1, levels + 1)} == {1}

    def test_an_alarm_names_those_that_it_follows(self) -> None:
        first = put("one")
        put_composite("a", "ALARM(one)")
        put_composite("both", "ALARM(a) AND ALARM(one)")
        change("one", "ALARM")
        triggers = json.loads(composite()["StateReasonData"])["triggeringAlarms"]
        assert [each["arn"] for each in triggers] == [composite("a")["AlarmArn"], first]

    def test_a_long_chain(self) -> None:
        put("link0")
        for number in range(1, 521):
            put_composite(f"link{number}", f"ALARM(link{number - 1})")
        change("link0", "ALARM")
        assert states("link520") == ["ALARM"]

    def test_tags(self) -> None:
        """As recorded on AWS by LocalStack's tests, 2026-02-17."""
        cloudwatch = client("cloudwatch")
        put("one")
        tags = [{"Key": "team", "Value": "ml"}]
        cloudwatch.put_composite_alarm(AlarmName="both", AlarmRule="OK(one)", Tags=tags)
        arn = composite()["AlarmArn"]
        assert cloudwatch.list_tags_for_resource(ResourceARN=arn)["Tags"] == tags
        cloudwatch.untag_resource(ResourceARN=arn, TagKeys=["team"])
        cloudwatch.tag_resource(ResourceARN=arn, Tags=tags)
        cloudwatch.delete_alarms(AlarmNames=["both"])
        assert cloudwatch.list_tags_for_resource(ResourceARN=arn)["Tags"] == []


class TestStates:
    def test_actions_of_a_state(self) -> None:
        """As recorded on AWS by LocalStack's tests, 2025-09-19."""
        arn, url = topic()
        put("one", AlarmActions=[arn], Unit="Percent", TreatMissingData="ignore")
        change("one", "ALARM")
        change("one", "ALARM")
        change("one", "OK")
        ((subject, message),) = messages(url)
        assert subject == 'ALARM: "one" in US East (N. Virginia)'
        assert message["OldStateValue"] == "INSUFFICIENT_DATA"
        assert message["Trigger"] == {
            "MetricName": "Busy",
            "Namespace": "Cluster",
            "StatisticType": "Statistic",
            "Statistic": "MAXIMUM",
            "Unit": "Percent",
            "Dimensions": [],
            "Period": 60,
            "EvaluationPeriods": 5,
            "ComparisonOperator": "LessThanThreshold",
            "Threshold": 1.0,
            "TreatMissingData": "ignore",
            "EvaluateLowSampleCountPercentile": "",
        }

    def test_no_actions_while_they_are_disabled(self) -> None:
        arn, url = topic()
        put("one", AlarmActions=[arn])
        client("cloudwatch").disable_alarm_actions(AlarmNames=["one"])
        change("one", "ALARM")
        assert messages(url) == []

    def test_history(self) -> None:
        """As recorded on AWS by LocalStack's tests, 2026-02-26."""
        cloudwatch = client("cloudwatch")
        put("one")
        change("one", "ALARM")
        change("one", "OK")
        asked = {"AlarmName": "one", "HistoryItemType": "StateUpdate"}
        latest, first = cloudwatch.describe_alarm_history(**asked)["AlarmHistoryItems"]
        assert latest["HistorySummary"] == "Alarm updated from ALARM to OK"
        assert first["AlarmType"] == "MetricAlarm"
        assert json.loads(first["HistoryData"]) == {
            "version": "1.0",
            "oldState": {
                "stateValue": "INSUFFICIENT_DATA",
                "stateReason": "Unchecked: Initial alarm creation",
            },
            "newState": {"stateValue": "ALARM", "stateReason": "test"},
        }
        page = cloudwatch.describe_alarm_history(
            **asked, ScanBy="TimestampAscending", MaxRecords=1
        )
        assert page["AlarmHistoryItems"] == [first]
        assert page["NextToken"]

    def test_unknown_alarm(self) -> None:
        found = refusal(
            client("cloudwatch").set_alarm_state, AlarmName="x", StateValue="OK", StateReason="r"
        )
        assert found[0] in ("ResourceNotFound", "ResourceNotFoundException")
