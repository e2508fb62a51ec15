"""Changes of the states of alarms: their history, and composite alarms that follow.

https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/alarms-and-actions.html
Members of the history as recorded on AWS: docs/reference/probes.md, source `localstack`; texts of
composite alarms are those of AWS's examples:
https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/cloudwatch-and-eventbridge.html
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from clusterwright_localaws.core.call import Call
from clusterwright_localaws.services.cloudwatch.alarm_actions import act
from clusterwright_localaws.services.cloudwatch.alarm_book import Item, alarms_of, book_of
from clusterwright_localaws.services.cloudwatch.alarm_messages import trigger
from clusterwright_localaws.services.cloudwatch.alarm_rules import Rule, read


def rule_of(alarm: Any) -> Rule:
    """Return the rule of a composite alarm."""
    return read(str(alarm.rule), str(alarm.alarm_arn).removesuffix(alarm.name))


def parents_of(alarms: Mapping[str, Any], name: str) -> list[Any]:
    """Return the composite alarms with a rule that names an alarm."""
    return [each for each in alarms.values() if each.rule and name in rule_of(each).alarms]


def change(
    call: Call, alarm: Any, state: str, reason: str, data: str | None, triggers: Sequence[Any] = ()
) -> None:
    """Change the state of an alarm, and then of all composite alarms that depend on it.

    Each of these is evaluated once, after those that it depends on. `triggers` are the alarms
    whose change this one follows.
    """
    if not _turn(call, alarm, state, reason, data, triggers):
        return
    alarms, changed = alarms_of(call), {alarm.name}
    for parent in _ancestors(alarms, alarm.name):
        children = [alarms[each] for each in rule_of(parent).alarms if each in changed]
        value = _evaluated(alarms, parent)
        if not children or value == parent.state_value:
            continue
        reason = (
            f"{children[0].alarm_arn} transitioned to {children[0].state_value} at "
            f"{call.now:%A %d %B, %Y %H:%M:%S} UTC"
        )
        _turn(call, parent, value, reason, _data(children), children)
        changed.add(parent.name)


def created(call: Call, composite: Any) -> None:
    """Evaluate a composite alarm that was created or changed; its state may stay."""
    alarms = alarms_of(call)
    state = _evaluated(alarms, composite)
    if state != composite.state_value:
        children = [alarms[each] for each in rule_of(composite).alarms]
        reason = f"{composite.alarm_arn} was created and its alarm rule evaluates to {state}"
        change(call, composite, state, reason, _data(children), children)


def _ancestors(alarms: Mapping[str, Any], name: str) -> list[Any]:
    """Return the alarms that depend on an alarm, each after those that it depends on.

    In a cycle, which CloudWatch allows, this stops at an alarm that was met before.
    """
    parents: dict[str, list[str]] = {}
    for each in alarms.values():
        for child in rule_of(each).alarms if each.rule else ():
            parents.setdefault(child, []).append(each.name)
    left = [(name, iter(parents.get(name, ())))]
    met, found = {name}, []
    while left:
        current, above = left[-1]
        parent = next((each for each in above if each not in met), None)
        if parent is None:
            found.append(current)
            left.pop()
        else:
            met.add(parent)
            left.append((parent, iter(parents.get(parent, ()))))
    return [alarms[each] for each in reversed(found[:-1])]


def _evaluated(alarms: Mapping[str, Any], composite: Any) -> str:
    def state_of(name: str) -> str:
        return str(alarms[name].state_value) if name in alarms else ""

    return "ALARM" if rule_of(composite).holds(state_of) else "OK"


def _turn(
    call: Call, alarm: Any, state: str, reason: str, data: str | None, triggers: Sequence[Any]
) -> bool:
    """Change the state of one alarm, note it and act; return whether the state is another one."""
    before = alarm.state_value
    old, new = _state(alarm), _described(state, reason, data)
    alarm.update_state(reason, data, state)
    if before == state:
        return False
    summary = f"Alarm updated from {before} to {state}"
    text = json.dumps({"version": "1.0", "oldState": old, "newState": new})
    book_of(call).note(Item(alarm.name, bool(alarm.rule), call.now, "StateUpdate", summary, text))
    act(call, alarm, before, triggers)
    return True


def _data(triggers: Sequence[Any]) -> str:
    return json.dumps({"triggeringAlarms": [trigger(each, "arn", "state") for each in triggers]})


def _state(alarm: Any) -> dict[str, Any]:
    return _described(alarm.state_value, alarm.state_reason, alarm.state_reason_data)


def _described(state: str, reason: str, data: str | None) -> dict[str, Any]:
    found: dict[str, Any] = {"stateValue": state, "stateReason": reason}
    return {**found, "stateReasonData": json.loads(data)} if data else found
