"""Rules of EventBridge and their targets."""

from __future__ import annotations

import json
from typing import Any

from clusterwright_localaws.cloudformation.handler import (
    Context,
    Created,
    Handler,
    HandlerFailure,
    Properties,
)
from clusterwright_localaws.cloudformation.handler_helpers import pick, retag

_DEFAULT_BUS = "default"


class Rule(Handler):
    """``Ref`` is the rule's name, after its bus and a bar if the bus is not the default bus."""

    type_name = "AWS::Events::Rule"

    def create(self, ctx: Context, properties: Properties) -> Created:
        events = ctx.client("events")
        name = properties.get("Name") or ctx.generated_name(max_length=64)
        arn = self._put(events, name, properties, **ctx.tagging(properties))
        created = _created(name, arn, properties)
        ctx.identify(created.physical_id)
        _put_targets(events, name, properties, properties.get("Targets", []))
        return created

    def update(self, ctx: Context, physical_id: str, old: Properties, new: Properties) -> Created:
        events = ctx.client("events")
        name = physical_id.rsplit("|", 1)[-1]
        arn = self._put(events, name, new)
        requested = new.get("Targets", [])
        kept = {item["Id"] for item in requested}
        _remove_targets(
            events, name, new, [t["Id"] for t in old.get("Targets", []) if t["Id"] not in kept]
        )
        _put_targets(events, name, new, requested)
        retag(ctx, "events", old, new, ResourceARN=arn)
        return _created(name, arn, new)

    def exists(self, ctx: Context, physical_id: str, properties: Properties) -> bool:
        name = physical_id.rsplit("|", 1)[-1]
        return bool(ctx.client("events").describe_rule(Name=name, **_bus(properties)))

    def delete(self, ctx: Context, physical_id: str, properties: Properties) -> None:
        events, name = ctx.client("events"), physical_id.rsplit("|", 1)[-1]
        here = _bus(properties)
        found = events.list_targets_by_rule(Rule=name, **here)["Targets"]
        # A rule with targets cannot be deleted.
        _remove_targets(events, name, properties, [item["Id"] for item in found])
        events.delete_rule(Name=name, **here)

    def _put(self, events: Any, name: str, properties: Properties, **more: Any) -> str:
        pattern = properties.get("EventPattern")
        arn: str = events.put_rule(
            Name=name,
            **_bus(properties),
            **pick(properties, "Description", "RoleArn", "ScheduleExpression", "State"),
            **({"EventPattern": json.dumps(pattern)} if pattern is not None else {}),
            **more,
        )["RuleArn"]
        return arn


def _bus(properties: Properties) -> dict[str, str]:
    return pick(properties, "EventBusName")


def _created(name: str, arn: str, properties: Properties) -> Created:
    bus = str(properties.get("EventBusName", _DEFAULT_BUS)).rsplit("/", 1)[-1]
    physical_id = name if bus == _DEFAULT_BUS else f"{bus}|{name}"
    return Created(physical_id, {"Arn": arn, "RuleName": name})


def _put_targets(
    events: Any, name: str, properties: Properties, targets: list[dict[str, Any]]
) -> None:
    if not targets:
        return
    answer = events.put_targets(Rule=name, **_bus(properties), Targets=targets)
    _refuse_failures(answer, "target")


def _remove_targets(events: Any, name: str, properties: Properties, ids: list[str]) -> None:
    if ids:
        _refuse_failures(events.remove_targets(Rule=name, **_bus(properties), Ids=ids), "target")


def _refuse_failures(answer: dict[str, Any], what: str) -> None:
    """Raise the failure of a single target; these calls answer 200 in any case."""
    for entry in answer.get("FailedEntries", []):
        raise HandlerFailure(
            f"{what} {entry.get('TargetId')}: {entry.get('ErrorMessage')}", "InvalidRequest"
        )
