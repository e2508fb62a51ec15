"""Alarms that roll an operation back."""

from __future__ import annotations

from typing import Any

import pytest

from packages.localaws.tests.cloudformation.stacks import (
    aws,
    create,
    events,
    parameter,
    template,
    update,
)

NAME = "errors"


def alarm(state: str) -> str:
    cloudwatch = aws("cloudwatch")
    cloudwatch.put_metric_alarm(
        AlarmName=NAME,
        MetricName="Errors",
        Namespace="Own",
        Statistic="Sum",
        Period=60,
        EvaluationPeriods=1,
        Threshold=1,
        ComparisonOperator="GreaterThanThreshold",
    )
    cloudwatch.set_alarm_state(AlarmName=NAME, StateValue=state, StateReason="tested")
    return str(cloudwatch.describe_alarms(AlarmNames=[NAME])["MetricAlarms"][0]["AlarmArn"])


def triggers(arn: str, kind: str = "AWS::CloudWatch::Alarm") -> dict[str, Any]:
    return {"RollbackTriggers": [{"Arn": arn, "Type": kind}]}


def test_a_quiet_alarm_rolls_nothing_back(local: None) -> None:
    body, quiet = template({"A": parameter("a")}), triggers(alarm("OK"))
    assert create("s", body, RollbackConfiguration=quiet)["StackStatus"] == "CREATE_COMPLETE"


@pytest.mark.parametrize(
    ("kind", "state", "reason"),
    [
        ("AWS::CloudWatch::Alarm", "ALARM", "is in ALARM"),
        # The alarm of the name is of the other type.
        ("AWS::CloudWatch::CompositeAlarm", "OK", "does not exist"),
    ],
)
def test_a_creation_is_rolled_back(local: None, kind: str, state: str, reason: str) -> None:
    body, loud = template({"A": parameter("a")}), triggers(alarm(state), kind)
    assert create("s", body, RollbackConfiguration=loud)["StackStatus"] == "ROLLBACK_COMPLETE"
    assert [one for one in events("s") if reason in one.get("ResourceStatusReason", "")]


def test_the_triggers_of_a_stack_hold_for_its_updates(local: None) -> None:
    create("s", template({"A": parameter("a")}), RollbackConfiguration=triggers(alarm("OK")))
    alarm("ALARM")
    changed = template({"A": parameter("b")})
    assert update("s", changed)["StackStatus"] == "UPDATE_ROLLBACK_COMPLETE"
    none = {"RollbackTriggers": []}
    found = update("s", changed, RollbackConfiguration=none)
    assert found["StackStatus"] == "UPDATE_COMPLETE"
