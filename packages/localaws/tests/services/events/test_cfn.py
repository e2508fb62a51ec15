"""Rules of a template and their targets."""

from __future__ import annotations

from typing import Any

import pytest

from clusterwright_localaws.cloudformation.handler import HandlerFailure
from clusterwright_localaws.services.events.cfn import Rule, _created, _refuse_failures
from packages.localaws.tests.handlers import context, tags
from packages.localaws.tests.parts import client, refusal

pytestmark = pytest.mark.usefixtures("local")

TOPIC = "arn:aws:sns:us-east-1:111122223333:t"


def target(number: int) -> dict[str, str]:
    return {"Id": f"T{number}", "Arn": f"{TOPIC}{number}"}


def test_a_rule_with_targets() -> None:
    events = client("events")
    before = {
        "EventPattern": {"source": ["aws.ec2"]},
        "Targets": [target(1), target(2)],
        "Tags": tags(a="1"),
    }
    created = Rule().create(context(), before)
    name = created.physical_id
    assert created.attributes["RuleName"] == name

    def targets() -> list[str]:
        return sorted(t["Id"] for t in events.list_targets_by_rule(Rule=name)["Targets"])

    assert events.describe_rule(Name=name)["EventPattern"] == '{"source": ["aws.ec2"]}'
    assert targets() == ["T1", "T2"]
    after = {**before, "State": "DISABLED", "Targets": [target(2), target(3)], "Tags": []}
    Rule().update(context(), name, before, after)
    assert targets() == ["T2", "T3"]
    assert events.describe_rule(Name=name)["State"] == "DISABLED"
    assert events.list_tags_for_resource(ResourceARN=created.attributes["Arn"])["Tags"] == []
    Rule().delete(context(), name, after)
    assert refusal(events.describe_rule, Name=name)[0] == "ResourceNotFoundException"


def test_a_rule_of_another_bus_is_named_after_it() -> None:
    client("events").create_event_bus(Name="bus")
    properties = {"Name": "r", "EventBusName": "bus", "ScheduleExpression": "rate(1 day)"}
    found = _created("r", "arn", properties)
    assert (found.physical_id, found.attributes["RuleName"]) == ("bus|r", "r")
    assert _created("r", "arn", {"EventBusName": "default"}).physical_id == "r"


def test_a_failed_target_fails_the_rule() -> None:
    answer: dict[str, Any] = {"FailedEntries": [{"TargetId": "T1", "ErrorMessage": "no"}]}
    with pytest.raises(HandlerFailure, match="target T1: no"):
        _refuse_failures(answer, "target")
    _refuse_failures({"FailedEntries": []}, "target")
