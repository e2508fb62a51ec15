"""Deployed stacks, their templates and their resources."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from clusterwright.aws.errors import AwsUnavailable
from clusterwright.aws.session import AwsSession
from clusterwright.aws.values import known_value

_NOT_DEPLOYED: Final = frozenset({"DELETE_COMPLETE", "REVIEW_IN_PROGRESS"})


@dataclass(frozen=True)
class Stack:
    name: str
    status: str
    reason: str | None
    protected: bool
    """Whether termination protection is enabled."""

    parameters: Mapping[str, str] = field(default_factory=dict, compare=False)
    """Their values in the last deployment; empty for `NoEcho` parameters without a value."""

    drift: str = field(default="NOT_CHECKED", compare=False)
    """`DRIFTED`, `IN_SYNC`, `UNKNOWN` or `NOT_CHECKED`, of the last drift detection."""

    changed_at: dt.datetime | None = field(default=None, compare=False)
    """When the last operation on it began."""


@dataclass(frozen=True)
class StackResource:
    logical_id: str
    type: str
    physical_id: str
    """Empty until the resource is created."""

    updated_at: dt.datetime | None = field(default=None, compare=False)
    """When its status changed last."""

    status: str = field(default="", compare=False)
    """CloudFormation's, as UPDATE_COMPLETE."""


def stack(session: AwsSession, name: str) -> Stack | None:
    """Return a stack by its name, None if it does not exist."""
    try:
        answer = session.call("cloudformation", "DescribeStacks", StackName=name)
    except AwsUnavailable as error:
        # CloudFormation has no error code for a missing stack.
        if error.code == "ValidationError" and "does not exist" in error.detail:
            return None
        raise
    if not answer["Stacks"]:
        # A missing stack is an error above, so an empty list is no valid response.
        raise AwsUnavailable(
            service="cloudformation",
            operation="DescribeStacks",
            region=session.region,
            reason="other",
            detail=f"the answer about {name} is empty",
        )
    return _stack(session, answer["Stacks"][0])


def stacks(session: AwsSession) -> tuple[Stack, ...]:
    """Return every deployed stack of the region.

    Raises
    ------
    AwsUnavailable
        The stacks cannot be listed.
    """
    return tuple(
        found
        for answer in session.items("cloudformation", "DescribeStacks", "Stacks")
        if (found := _stack(session, answer)).status not in _NOT_DEPLOYED
    )


def stack_resources(session: AwsSession, name: str) -> tuple[StackResource, ...]:
    """Return every resource of an existing stack that is not deleted."""
    return tuple(
        StackResource(
            found["LogicalResourceId"],
            found["ResourceType"],
            found.get("PhysicalResourceId") or "",
            found.get("LastUpdatedTimestamp"),
            found["ResourceStatus"],
        )
        for found in session.items(
            "cloudformation", "ListStackResources", "StackResourceSummaries", StackName=name
        )
        if known_value(
            session,
            found["ResourceStatus"],
            service="cloudformation",
            operation="ListStackResources",
            shape="ResourceStatus",
        )
        != "DELETE_COMPLETE"
    )


def template(session: AwsSession, stack: str) -> Mapping[str, Any] | None:
    """Return the template that a stack was deployed with, None if it is not JSON.

    Raises
    ------
    AwsUnavailable
        The template cannot be read.
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


def _stack(session: AwsSession, answer: Mapping[str, Any]) -> Stack:
    return Stack(
        str(answer["StackName"]),
        known_value(
            session,
            answer["StackStatus"],
            service="cloudformation",
            operation="DescribeStacks",
            shape="StackStatus",
        ),
        answer.get("StackStatusReason") or None,
        bool(answer.get("EnableTerminationProtection")),
        {p["ParameterKey"]: p.get("ParameterValue", "") for p in answer.get("Parameters", ())},
        (answer.get("DriftInformation") or {}).get("StackDriftStatus") or "NOT_CHECKED",
        answer.get("LastUpdatedTime") or answer.get("CreationTime"),
    )
