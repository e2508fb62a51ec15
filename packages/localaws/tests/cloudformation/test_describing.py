"""Shapes and pages of the answers."""

from __future__ import annotations

import pytest
from botocore.exceptions import ClientError

from clusterwright_localaws.cloudformation import describing
from clusterwright_localaws.cloudformation.api.common import draft
from clusterwright_localaws.cloudformation.errors import ValidationError
from clusterwright_localaws.cloudformation.state import Event, Resource, Stack
from clusterwright_localaws.cloudformation.store import Store
from clusterwright_localaws.core.call import Call
from clusterwright_localaws.core.runtime import runtime
from packages.localaws.tests.cloudformation.stacks import (
    ACCOUNT,
    REGION,
    cloudformation,
    create,
    parameter,
    template,
)

pytestmark = pytest.mark.usefixtures("local")

ONE = template({"P": parameter("1")})


def test_events_are_newest_first_and_in_pages() -> None:
    resources = {f"P{number}": parameter(str(number)) for number in range(60)}
    create("many", template(resources))
    pages = list(
        cloudformation().get_paginator("describe_stack_events").paginate(StackName="many")
    )
    found = [stack_event for page in pages for stack_event in page["StackEvents"]]
    assert len(pages) > 1
    # Per resource: in progress twice (before and after its id is known) and complete; and two of
    # the stack.
    assert len(found) == 60 * 3 + 2
    assert len({item["EventId"] for item in found}) == len(found)
    moments = [item["Timestamp"] for item in found]
    assert moments == sorted(moments, reverse=True)
    assert found[0]["ResourceStatus"] == "CREATE_COMPLETE"
    assert found[0]["PhysicalResourceId"] == found[0]["StackId"]
    assert found[-1]["ResourceStatusReason"] == "User Initiated"


def test_unknown_token_is_refused() -> None:
    create("one", ONE)
    with pytest.raises(ClientError, match="Invalid NextToken"):
        cloudformation().describe_stack_events(StackName="one", NextToken="7")


def call(page_limit: int | None = None, **parameters: object) -> Call:
    return Call("cloudformation", "ListStacks", ACCOUNT, REGION, runtime(), parameters, page_limit)


def test_pages_follow_each_other_by_tokens() -> None:
    first, token = describing.page("abcde", call(), size=2)
    second, token = describing.page("abcde", call(NextToken=token), size=2)
    last, end = describing.page("abcde", call(NextToken=token), size=2)
    assert (first, second, last, end) == (["a", "b"], ["c", "d"], ["e"], None)


def test_a_fault_makes_pages_smaller() -> None:
    assert describing.page("abc", call(page_limit=1), size=2)[0] == ["a"]


@pytest.mark.parametrize("token", ["7", "not base64!", "YQ=="])
def test_a_foreign_token_is_refused(token: str) -> None:
    with pytest.raises(ValidationError, match="Invalid NextToken"):
        describing.page("abc", call(NextToken=token))


def test_a_stack_before_its_first_deployment() -> None:
    stack = draft(Store(ACCOUNT, REGION), "s")
    shape = describing.stack_shape(stack)
    assert shape == {
        "StackId": stack.stack_id,
        "StackName": "s",
        "CreationTime": stack.created,
        "RollbackConfiguration": {},
        "StackStatus": "REVIEW_IN_PROGRESS",
        "DisableRollback": False,
        "NotificationARNs": [],
        "Tags": [],
        "EnableTerminationProtection": False,
        "DriftInformation": {"StackDriftStatus": "NOT_CHECKED"},
    }


def event(stack: Stack, status: str, **more: str) -> Event:
    return stack.record(
        **{  # type: ignore[arg-type]
            "logical_id": "A",
            "physical_id": "a-1",
            "resource_type": "AWS::SNS::Topic",
            "status": status,
            **more,
        }
    )


def test_kinds_of_events() -> None:
    stack = draft(Store(ACCOUNT, REGION), "s")
    stack.operations.append(("op-1", "CREATE_STACK"))
    kinds = [
        describing.operation_event_shape(stack, each)["EventType"]
        for each in (
            event(stack, "CREATE_IN_PROGRESS"),
            event(stack, "CREATE_FAILED"),
            event(stack, "CREATE_FAILED", detailed_status="VALIDATION_FAILED"),
            event(stack, "CREATE_COMPLETE", physical_id=stack.stack_id),
        )
    ]
    assert kinds == ["PROGRESS_EVENT", "PROVISIONING_ERROR", "VALIDATION_ERROR", "STACK_EVENT"]
    shape = describing.operation_event_shape(stack, event(stack, "CREATE_COMPLETE"))
    assert shape["OperationType"] == "CREATE_STACK"
    assert "StackName" not in shape


def test_a_resource_in_its_three_shapes() -> None:
    stack = draft(Store(ACCOUNT, REGION), "s")
    resource = Resource(
        "A", "AWS::SNS::Topic", "", "CREATE_FAILED", "no", stack.created, {"Metadata": {"m": 1}}
    )
    summary = describing.resource_summary(resource)
    assert summary == {
        "LogicalResourceId": "A",
        "ResourceType": "AWS::SNS::Topic",
        "LastUpdatedTimestamp": stack.created,
        "ResourceStatus": "CREATE_FAILED",
        "ResourceStatusReason": "no",
        "DriftInformation": {"StackResourceDriftStatus": "NOT_CHECKED"},
    }
    assert describing.resource_shape(stack, resource)["Timestamp"] == stack.created
    detail = describing.resource_detail(stack, resource)
    assert (detail["Metadata"], detail["LastUpdatedTimestamp"]) == ('{"m": 1}', stack.created)
    assert "Timestamp" not in detail
