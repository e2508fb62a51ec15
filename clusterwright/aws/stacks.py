"""Which stacks stand, and what is in them."""

from __future__ import annotations

from dataclasses import dataclass

from clusterwright.aws.errors import AwsUnavailable
from clusterwright.aws.session import AwsSession
from clusterwright.aws.values import known_value


@dataclass(frozen=True)
class Stack:
    name: str
    status: str
    reason: str | None
    protected: bool
    """Whether deleting it is refused."""


@dataclass(frozen=True)
class StackResource:
    logical_id: str
    type: str
    physical_id: str
    """Empty while it is not made."""


def stack(session: AwsSession, name: str) -> Stack | None:
    """A stack by its name; None where there is none."""
    try:
        answer = session.call("cloudformation", "DescribeStacks", StackName=name)
    except AwsUnavailable as error:
        # CloudFormation has no code of its own for it.
        if error.code == "ValidationError" and "does not exist" in error.detail:
            return None
        raise
    if not answer["Stacks"]:
        # A stack that is not there is an error above, so this is no answer.
        raise AwsUnavailable(
            service="cloudformation",
            operation="DescribeStacks",
            region=session.region,
            reason="other",
            detail=f"the answer about {name} is empty",
        )
    found = answer["Stacks"][0]
    return Stack(
        found["StackName"],
        known_value(
            session,
            found["StackStatus"],
            service="cloudformation",
            operation="DescribeStacks",
            shape="StackStatus",
        ),
        found.get("StackStatusReason") or None,
        bool(found.get("EnableTerminationProtection")),
    )


def stack_resources(session: AwsSession, name: str) -> tuple[StackResource, ...]:
    """Every resource of a stack that exists."""
    return tuple(
        StackResource(
            found["LogicalResourceId"],
            found["ResourceType"],
            found.get("PhysicalResourceId") or "",
        )
        for page in session.pages("cloudformation", "ListStackResources", StackName=name)
        for found in page["StackResourceSummaries"]
        if known_value(
            session,
            found["ResourceStatus"],
            service="cloudformation",
            operation="ListStackResources",
            shape="ResourceStatus",
        )
        != "DELETE_COMPLETE"
    )
