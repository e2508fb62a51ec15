"""Stacks of an account: their templates, their drift, and what a change set would do."""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from clusterwright.aws.errors import AwsUnavailable
from clusterwright.aws.session import AwsSession
from clusterwright.aws.values import known_value

MAXIMUM_BODY_BYTES: Final = 51_200
"""Of a template in a request; larger ones must lie in S3 (CreateChangeSet, TemplateBody)."""

CAPABILITIES: Final = ("CAPABILITY_IAM", "CAPABILITY_NAMED_IAM", "CAPABILITY_AUTO_EXPAND")
_GONE: Final = frozenset({"DELETE_COMPLETE", "REVIEW_IN_PROGRESS"})
_NO_CHANGES: Final = ("didn't contain changes", "No updates are to be performed")
_POLL_SECONDS: Final = 0.5


@dataclass(frozen=True)
class Stack:
    """A stack that stands; parameters as they were given."""

    name: str
    status: str
    parameters: Mapping[str, str]


@dataclass(frozen=True)
class Change:
    """One resource of a change set, in AWS's words."""

    logical_id: str
    type: str
    action: str
    replacement: str | None
    properties: tuple[str, ...]
    policy: str | None


@dataclass(frozen=True)
class ChangeSet:
    """A change set that was read and deleted again.

    `refusal` is CloudFormation's reason where it could not be made.
    """

    changes: tuple[Change, ...] = ()
    refusal: str | None = None


@dataclass(frozen=True)
class PropertyDrift:
    """A property of a deployed resource that differs from its template."""

    stack: str
    logical_id: str
    property: str
    expected: str | None
    actual: str | None


def stacks(session: AwsSession) -> tuple[Stack, ...]:
    """Every stack that stands in the region.

    Raises
    ------
    AwsUnavailable
        They cannot be listed.
    """
    return tuple(
        Stack(
            str(found["StackName"]),
            str(found["StackStatus"]),
            {p["ParameterKey"]: p.get("ParameterValue", "") for p in found.get("Parameters", ())},
        )
        for page in session.pages("cloudformation", "DescribeStacks")
        for found in page.get("Stacks", ())
        if known_value(
            session,
            found["StackStatus"],
            service="cloudformation",
            operation="DescribeStacks",
            shape="StackStatus",
        )
        not in _GONE
    )


def template(session: AwsSession, stack: str) -> Mapping[str, Any] | None:
    """The template that a stack was deployed with; None where it is not JSON.

    Raises
    ------
    AwsUnavailable
        It cannot be read.
    """
    answer = session.call(
        "cloudformation", "GetTemplate", StackName=stack, TemplateStage="Original"
    )
    body = answer.get("TemplateBody")
    if isinstance(body, str):
        try:
            body = json.loads(body)
        except ValueError:
            return None
    return body if isinstance(body, Mapping) else None


def change_set(
    session: AwsSession,
    stack: Stack,
    body: Mapping[str, Any],
    *,
    deadline_seconds: float,
) -> ChangeSet:
    """What CloudFormation would do to a stack that stands; nothing is changed.

    A change set is made, read and deleted again, whatever happens in between.

    Raises
    ------
    AwsUnavailable
        It cannot be made, read or deleted in that time.
    """
    text = json.dumps(body, separators=(",", ":"), ensure_ascii=False)
    size = len(text.encode())
    if size > MAXIMUM_BODY_BYTES:
        return ChangeSet(
            refusal=f"its template has {size:,} bytes, a request takes {MAXIMUM_BODY_BYTES:,}"
        )
    name = f"clusterwright-review-{uuid.uuid4().hex[:12]}"
    declared = body.get("Parameters", {})
    session.call(
        "cloudformation",
        "CreateChangeSet",
        StackName=stack.name,
        ChangeSetName=name,
        ChangeSetType="UPDATE",
        Description="clusterwright diff --deployed: read and deleted, never executed",
        TemplateBody=text,
        Capabilities=list(CAPABILITIES),
        Parameters=[
            {"ParameterKey": key, "UsePreviousValue": True}
            for key in declared
            if key in stack.parameters
        ],
    )
    try:
        return _read(session, stack.name, name, deadline_seconds)
    finally:
        session.call("cloudformation", "DeleteChangeSet", StackName=stack.name, ChangeSetName=name)


def drift(
    session: AwsSession, stack: str, *, deadline_seconds: float
) -> tuple[PropertyDrift, ...]:
    """What somebody changed by other ways since the stack was deployed.

    Raises
    ------
    AwsUnavailable
        CloudFormation cannot tell, or not in that time.
    """
    started = session.call("cloudformation", "DetectStackDrift", StackName=stack)
    end = time.monotonic() + deadline_seconds
    while True:
        found = session.call(
            "cloudformation",
            "DescribeStackDriftDetectionStatus",
            StackDriftDetectionId=started["StackDriftDetectionId"],
        )
        if found["DetectionStatus"] != "DETECTION_IN_PROGRESS":
            break
        _wait(end, "DescribeStackDriftDetectionStatus", session.region)
    drifted: list[PropertyDrift] = []
    token: dict[str, str] = {}
    while True:
        page = session.call(
            "cloudformation",
            "DescribeStackResourceDrifts",
            StackName=stack,
            StackResourceDriftStatusFilters=["MODIFIED", "DELETED"],
            **token,
        )
        for one in page.get("StackResourceDrifts", ()):
            drifted += _drifts(stack, one)
        if not page.get("NextToken"):
            return tuple(drifted)
        token = {"NextToken": page["NextToken"]}


def _drifts(stack: str, one: Mapping[str, Any]) -> list[PropertyDrift]:
    name = str(one["LogicalResourceId"])
    if one["StackResourceDriftStatus"] == "DELETED":
        return [PropertyDrift(stack, name, "", "there", "deleted")]
    return [
        PropertyDrift(
            stack,
            name,
            str(difference["PropertyPath"]).lstrip("/").replace("/", "."),
            difference.get("ExpectedValue"),
            difference.get("ActualValue"),
        )
        for difference in one.get("PropertyDifferences", ())
    ]


def _read(session: AwsSession, stack: str, name: str, seconds: float) -> ChangeSet:
    end = time.monotonic() + seconds
    while True:
        found = session.call(
            "cloudformation", "DescribeChangeSet", StackName=stack, ChangeSetName=name
        )
        status = found["Status"]
        if status == "FAILED":
            reason = str(found.get("StatusReason") or "no reason is given")
            if any(words in reason for words in _NO_CHANGES):
                return ChangeSet()
            return ChangeSet(refusal=reason)
        if status == "CREATE_COMPLETE":
            break
        _wait(end, "DescribeChangeSet", session.region)
    changes = [*found.get("Changes", ())]
    while found.get("NextToken"):
        found = session.call(
            "cloudformation",
            "DescribeChangeSet",
            StackName=stack,
            ChangeSetName=name,
            NextToken=found["NextToken"],
        )
        changes += found.get("Changes", ())
    return ChangeSet(
        tuple(
            _change(one["ResourceChange"])
            for one in changes
            if one.get("Type") == "Resource" and "ResourceChange" in one
        )
    )


def _change(one: Mapping[str, Any]) -> Change:
    names = [
        str(detail["Target"].get("Name") or detail["Target"].get("Attribute"))
        for detail in one.get("Details", ())
        if "Target" in detail
    ]
    return Change(
        str(one["LogicalResourceId"]),
        str(one["ResourceType"]),
        str(one["Action"]),
        one.get("Replacement"),
        tuple(dict.fromkeys(names)),
        one.get("PolicyAction"),
    )


def _wait(end: float, operation: str, region: str | None) -> None:
    if time.monotonic() + _POLL_SECONDS > end:
        raise AwsUnavailable(
            service="cloudformation",
            operation=operation,
            region=region,
            reason="timeout",
            detail="it has not ended in the time allowed",
        )
    time.sleep(_POLL_SECONDS)
