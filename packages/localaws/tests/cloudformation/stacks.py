"""Helpers for stacks in tests: a client that waits, and stub resource types."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from clusterwright_localaws.cloudformation.handler import (
    Context,
    Created,
    Handler,
    HandlerFailure,
    Properties,
)
from clusterwright_localaws.core.boto_clients import client

ACCOUNT = "111122223333"
REGION = "us-east-1"


def aws(service: str, region: str = REGION) -> Any:
    return client(service, account=ACCOUNT, region=region)


def cloudformation() -> Any:
    return aws("cloudformation")


CAPABILITIES = ["CAPABILITY_NAMED_IAM", "CAPABILITY_AUTO_EXPAND"]


def template(resources: Mapping[str, Any], **sections: Any) -> str:
    return json.dumps({"Resources": resources, **sections})


def resource(
    kind: str, properties: Mapping[str, Any] | None = None, **more: Any
) -> dict[str, Any]:
    return {"Type": kind, "Properties": dict(properties or {}), **more}


def parameter(value: Any, **more: Any) -> dict[str, Any]:
    """The cheapest resource."""
    return resource("AWS::SSM::Parameter", {"Type": "String", "Value": value}, **more)


def named(name: str | None, value: str = "v", **more: Any) -> dict[str, Any]:
    """A parameter with a name, which only a replacement can change."""
    properties: dict[str, Any] = {"Type": "String", "Value": value}
    if name:
        properties["Name"] = name
    return resource("AWS::SSM::Parameter", properties, **more)


def failing(*what: tuple[str, str]) -> Any:
    return lambda operation, name, _: "no" if (operation, name) in what else None


def create(name: str, body: str, **options: Any) -> dict[str, Any]:
    cloudformation().create_stack(
        StackName=name, TemplateBody=body, Capabilities=CAPABILITIES, **options
    )
    return settled(name)


def update(name: str, body: str, **options: Any) -> dict[str, Any]:
    cloudformation().update_stack(
        StackName=name, TemplateBody=body, Capabilities=CAPABILITIES, **options
    )
    return settled(name)


def delete(name: str, **options: Any) -> dict[str, Any]:
    stack_id = described(name)["StackId"]
    cloudformation().delete_stack(StackName=name, **options)
    return settled(stack_id)


def described(name: str) -> dict[str, Any]:
    return cloudformation().describe_stacks(StackName=name)["Stacks"][0]


def settled(name: str) -> dict[str, Any]:
    """The stack, after its operation has ended."""
    stack_id = described(name)["StackId"]
    for _ in range(400):
        stack = described(stack_id)
        if not stack["StackStatus"].endswith("_IN_PROGRESS"):
            return stack
        time.sleep(0.02)
    raise AssertionError(f"{name} is still in {stack['StackStatus']}")


def outputs(stack: Mapping[str, Any]) -> dict[str, str]:
    return {output["OutputKey"]: output["OutputValue"] for output in stack.get("Outputs", [])}


def events(name: str) -> list[dict[str, Any]]:
    """Oldest first."""
    found: list[dict[str, Any]] = []
    pages = cloudformation().get_paginator("describe_stack_events").paginate(StackName=name)
    for page in pages:
        found.extend(page["StackEvents"])
    return found[::-1]


def history(name: str, *logical_ids: str) -> list[tuple[str, str]]:
    """(logical id, status) of the events, oldest first."""
    return [
        (event["LogicalResourceId"], event["ResourceStatus"])
        for event in events(name)
        if not logical_ids or event["LogicalResourceId"] in logical_ids
    ]


def reason(name: str, logical_id: str, status: str) -> str:
    """The reason of the last such event."""
    found = [
        event.get("ResourceStatusReason", "")
        for event in events(name)
        if event["LogicalResourceId"] == logical_id and event["ResourceStatus"] == status
    ]
    assert found, f"{logical_id} never was {status}: {history(name)}"
    return str(found[-1])


def resources_of(name: str) -> dict[str, dict[str, Any]]:
    found = cloudformation().describe_stack_resources(StackName=name)["StackResources"]
    return {item["LogicalResourceId"]: item for item in found}


@dataclass
class Pretend:
    """Stub handlers: their calls, the existing resources, and injected failures.

    `snapshots`: whether the types have data that `Snapshot` saves, like databases.
    `fail` is called as (operation, logical id, properties) and returns a message to fail with;
    `delay_s` is how long a resource takes to become ready.
    """

    calls: list[tuple[str, str]] = field(default_factory=list)
    existing: dict[str, dict[str, Any]] = field(default_factory=dict)
    fail: Callable[[str, str, Properties], str | None] = lambda *_: None
    half: Callable[[str], bool] = lambda _: False
    delay_s: Callable[[str], float] = lambda _: 0.0
    number: int = 0
    snapshots: bool = False
    kept_in_snapshots: list[str] = field(default_factory=list)

    def handler(self, type_name: str) -> Handler:
        return _PretendHandler(self, type_name)

    def did(self, operation: str) -> list[str]:
        return [name for done, name in self.calls if done == operation]


class _PretendHandler(Handler):
    def __init__(self, pretend: Pretend, type_name: str) -> None:
        self._pretend = pretend
        self._type = type_name

    def create(self, ctx: Context, properties: Properties) -> Created:
        pretend, name = self._pretend, ctx.logical_id
        pretend.calls.append(("create", name))
        message = pretend.fail("create", name, properties)
        if message and not pretend.half(name):
            raise HandlerFailure(message, "InvalidRequest")
        pretend.number += 1
        physical_id = f"{name}-{pretend.number}"
        pretend.existing[physical_id] = dict(properties)
        ctx.identify(physical_id)
        if message:
            raise HandlerFailure(message, "NotStabilized")
        self._wait(ctx)
        return self._created(physical_id)

    def update(self, ctx: Context, physical_id: str, old: Properties, new: Properties) -> Created:
        pretend, name = self._pretend, ctx.logical_id
        pretend.calls.append(("update", name))
        message = pretend.fail("update", name, new)
        if message:
            raise HandlerFailure(message, "InvalidRequest")
        pretend.existing[physical_id] = dict(new)
        self._wait(ctx)
        return self._created(physical_id)

    def delete(self, ctx: Context, physical_id: str, properties: Properties) -> None:
        pretend = self._pretend
        pretend.calls.append(("delete", ctx.logical_id))
        message = pretend.fail("delete", ctx.logical_id, properties)
        if message:
            raise HandlerFailure(message, "ResourceConflict")
        if pretend.existing.pop(physical_id, None) is None:
            raise HandlerFailure(f"{physical_id} is gone", "NotFound")
        if ctx.take_snapshot:
            pretend.kept_in_snapshots.append(physical_id)

    def snapshot_refusal(self, properties: Properties) -> str | None:
        return None if self._pretend.snapshots else super().snapshot_refusal(properties)

    def _wait(self, ctx: Context) -> None:
        end = time.monotonic() + self._pretend.delay_s(ctx.logical_id)
        ctx.wait(lambda: time.monotonic() >= end, what="the pretended resource")

    def _created(self, physical_id: str) -> Created:
        return Created(physical_id, {"Arn": f"arn:pretend:{physical_id}", "TopicArn": physical_id})
