"""Wait conditions and their handles.

A stack waits at a condition until its signals are there. Nothing here sends any: whoever tests
code that signals, sends them to the handle's URL or by ``SignalResource``.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Mapping
from typing import Any

from clusterwright_localaws.cloudformation import signals
from clusterwright_localaws.cloudformation.errors import ValidationError
from clusterwright_localaws.cloudformation.handler import (
    Cancelled,
    Context,
    Created,
    Handler,
    Properties,
)
from clusterwright_localaws.cloudformation.template import WAIT_CONDITION

# https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-cloudformation-waitcondition.html
LONGEST_TIMEOUT_S = 43_200
# https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-attribute-creationpolicy.html
_DEFAULT_POLICY_TIMEOUT = "PT5M"
_DURATION = re.compile(r"PT(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?")


class WaitConditionHandle(Handler):
    """``Ref`` is the URL that signals are put to."""

    type_name = "AWS::CloudFormation::WaitConditionHandle"

    def create(self, ctx: Context, properties: Properties) -> Created:
        url = signals.new_handle(ctx.region, f"{ctx.stack_id}/{ctx.logical_id}-{ctx.suffix}")
        return Created(url, {"Id": url})

    def delete(self, ctx: Context, physical_id: str, properties: Properties) -> None:
        signals.forget_handle(ctx.region, physical_id)


class WaitCondition(Handler):
    """Waits for ``Count`` signals of its handle, or for those of its creation policy."""

    type_name = WAIT_CONDITION

    def create(self, ctx: Context, properties: Properties) -> Created:
        physical_id = f"{ctx.stack_id}/{ctx.logical_id}"
        if ctx.creation_policy:
            count, timeout_s = _of_policy(ctx.creation_policy)
            handle = None
        else:
            handle = properties.get("Handle")
            if handle is None or "Timeout" not in properties:
                raise ValidationError(
                    "A WaitCondition without CreationPolicy needs Handle and Timeout."
                )
            count = int(properties.get("Count", 1))
            timeout_s = float(properties["Timeout"])
            if not 0 <= timeout_s <= LONGEST_TIMEOUT_S:
                raise ValidationError(
                    f"Timeout of a WaitCondition is 0 to {LONGEST_TIMEOUT_S} seconds."
                )
        ctx.identify(physical_id)
        found = _wait(ctx, handle, count, timeout_s)
        data = json.dumps({one.unique_id: one.data for one in found}, separators=(",", ":"))
        return Created(physical_id, {"Id": physical_id, "Data": data})

    def update(self, ctx: Context, physical_id: str, old: Properties, new: Properties) -> Created:
        raise ValidationError(f"Update to resource type {WAIT_CONDITION} is not supported.")

    def delete(self, ctx: Context, physical_id: str, properties: Properties) -> None:
        """Nothing was made."""


def _wait(ctx: Context, handle: str | None, count: int, timeout_s: float) -> list[signals.Signal]:
    board = signals.board(ctx.account, ctx.region)
    deadline = time.monotonic() + timeout_s
    while True:
        found = list(board.of(ctx.stack_id, ctx.logical_id))
        if handle is not None:
            found += signals.of_handle(ctx.region, handle)
        for one in found:
            if not one.succeeded:
                raise ValidationError(_failed(one, handle))
        if len(found) >= count:
            return found
        if ctx.cancelled():
            raise Cancelled
        if time.monotonic() > deadline:
            raise ValidationError(_timed_out(len(found), count, handle))
        ctx.pause(ctx.poll_interval_s)


def _failed(signal: signals.Signal, handle: str | None) -> str:
    if handle is None:
        return f"Received FAILURE signal with UniqueId {signal.unique_id}"
    return (
        f"WaitCondition received failed message: '{signal.reason}' for uniqueId: "
        f"{signal.unique_id}"
    )


def _timed_out(received: int, count: int, handle: str | None) -> str:
    if handle is None:
        return (
            f"Failed to receive {count - received} resource signal(s) within the specified "
            "duration"
        )
    return f"WaitCondition timed out. Received {received} conditions when expecting {count}"


def _of_policy(policy: Mapping[str, Any]) -> tuple[int, float]:
    signal = policy.get("ResourceSignal") or {}
    match = _DURATION.fullmatch(str(signal.get("Timeout", _DEFAULT_POLICY_TIMEOUT)))
    if match is None or not any(match.groups()):
        raise ValidationError(
            f"Invalid Timeout in CreationPolicy: {signal.get('Timeout')} is no duration such as "
            "PT15M."
        )
    hours, minutes, seconds = (int(part or 0) for part in match.groups())
    timeout_s = float(hours * 3600 + minutes * 60 + seconds)
    if timeout_s > LONGEST_TIMEOUT_S:
        raise ValidationError("The Timeout of a CreationPolicy is PT12H at most.")
    return int(signal.get("Count", 1)), timeout_s
