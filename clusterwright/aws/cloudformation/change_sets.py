"""Change sets and drift detection of deployed stacks."""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from clusterwright.aws.cloudformation.stacks import Stack
from clusterwright.aws.errors import AwsUnavailable
from clusterwright.aws.session import AwsSession

MAXIMUM_BODY_BYTES: Final = 51_200
"""Maximum size of a template in a request; larger ones must be in S3 (CreateChangeSet,
TemplateBody)."""

CAPABILITIES: Final = ("CAPABILITY_IAM", "CAPABILITY_NAMED_IAM", "CAPABILITY_AUTO_EXPAND")
_NO_CHANGES: Final = ("didn't contain changes", "No updates are to be performed")
_POLL_SECONDS: Final = 0.5
_CHECKED: Final = ("IN_SYNC", "MODIFIED", "DELETED")


@dataclass(frozen=True)
class Change:
    """A resource change of a change set, with the values of the API."""

    logical_id: str
    type: str
    action: str
    replacement: str | None
    properties: tuple[str, ...]
    policy: str | None


@dataclass(frozen=True)
class ChangeSet:
    """The content of a change set, which is deleted after reading.

    `refusal` is CloudFormation's reason if the change set could not be created, and `warning` why
    a created one is incomplete, for example because an export does not exist.
    """

    changes: tuple[Change, ...] = ()
    refusal: str | None = None
    warning: str | None = None


@dataclass(frozen=True)
class PropertyDrift:
    """A property of a deployed resource that differs from its template."""

    stack: str
    logical_id: str
    property: str
    expected: str | None
    actual: str | None


@dataclass(frozen=True)
class Drift:
    """The drift of a stack.

    Attributes
    ----------
    checked:
        Logical ids that CloudFormation could check.
    failure:
        CloudFormation's reason if it could not check all that it supports; else empty.
    """

    differences: tuple[PropertyDrift, ...] = ()
    checked: frozenset[str] = frozenset()
    failure: str = ""


def change_set(
    session: AwsSession,
    stack: Stack,
    body: Mapping[str, Any],
    *,
    deadline_seconds: float,
) -> ChangeSet:
    """Return the changes that CloudFormation would make to a deployed stack; change nothing.

    The change set is created, read and always deleted.

    Raises
    ------
    AwsUnavailable
        The change set cannot be created, read or deleted within `deadline_seconds`.
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


def drift(session: AwsSession, stack: str, *, deadline_seconds: float) -> Drift:
    """Return the properties changed outside CloudFormation since the stack was deployed.

    Raises
    ------
    AwsUnavailable
        CloudFormation cannot detect drift, or not within `deadline_seconds`.
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
    pages = session.pages(
        "cloudformation",
        "DescribeStackResourceDrifts",
        StackName=stack,
    )
    resources = [
        resource
        for page in pages
        for resource in page.get("StackResourceDrifts", ())
        if resource["StackResourceDriftStatus"] in _CHECKED
    ]
    return Drift(
        tuple(difference for resource in resources for difference in _drifts(stack, resource)),
        frozenset(str(resource["LogicalResourceId"]) for resource in resources),
        _failure(found),
    )


def _failure(status: Mapping[str, Any]) -> str:
    """Of DETECTION_FAILED: at least one resource was not checked, the others were (API Reference,
    DescribeStackDriftDetectionStatus).
    """
    if status["DetectionStatus"] != "DETECTION_FAILED":
        return ""
    return str(status.get("DetectionStatusReason") or "CloudFormation states no reason")


def _drifts(stack: str, resource: Mapping[str, Any]) -> list[PropertyDrift]:
    name = str(resource["LogicalResourceId"])
    if resource["StackResourceDriftStatus"] == "IN_SYNC":
        return []
    if resource["StackResourceDriftStatus"] == "DELETED":
        return [PropertyDrift(stack, name, "", "there", "deleted")]
    return [
        PropertyDrift(
            stack,
            name,
            str(difference["PropertyPath"]).lstrip("/").replace("/", "."),
            difference.get("ExpectedValue"),
            difference.get("ActualValue"),
        )
        for difference in resource.get("PropertyDifferences", ())
    ]


def _read(session: AwsSession, stack: str, name: str, seconds: float) -> ChangeSet:
    end = time.monotonic() + seconds
    while True:
        pages = tuple(
            session.pages(
                "cloudformation",
                "DescribeChangeSet",
                StackName=stack,
                ChangeSetName=name,
                # Without values an incomplete change set has no StatusReason.
                IncludePropertyValues=True,
            )
        )
        status = pages[0]["Status"]
        if status == "FAILED":
            reason = str(pages[0].get("StatusReason") or "no reason is given")
            if any(words in reason for words in _NO_CHANGES):
                return ChangeSet()
            return ChangeSet(refusal=reason)
        if status == "CREATE_COMPLETE":
            break
        _wait(end, "DescribeChangeSet", session.region)
    return ChangeSet(
        tuple(
            _change(change["ResourceChange"])
            for page in pages
            for change in page.get("Changes", ())
            if change.get("Type") == "Resource" and "ResourceChange" in change
        ),
        warning=pages[0].get("StatusReason"),
    )


def _change(change: Mapping[str, Any]) -> Change:
    names = [
        str(detail["Target"].get("Name") or detail["Target"].get("Attribute"))
        for detail in change.get("Details", ())
        if "Target" in detail
    ]
    return Change(
        str(change["LogicalResourceId"]),
        str(change["ResourceType"]),
        str(change["Action"]),
        change.get("Replacement"),
        tuple(dict.fromkeys(names)),
        change.get("PolicyAction"),
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
