"""Deployed stacks, their resources and templates."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Iterator
from typing import Any

import pytest
from botocore.stub import Stubber

from clusterwright.aws.cloudformation import stacks
from clusterwright.aws.cloudformation.stacks import Stack, StackResource
from clusterwright.aws.errors import AwsUnavailable
from clusterwright.aws.session import AwsSession

CREATED = dt.datetime(2026, 11, 1, tzinfo=dt.UTC)


@pytest.fixture
def stub(session: AwsSession) -> Iterator[Stubber]:
    with Stubber(session.client("cloudformation")) as stub:
        yield stub


def described(name: str, status: str, **more: Any) -> dict[str, Any]:
    return {"StackName": name, "StackStatus": status, "CreationTime": CREATED, **more}


def test_a_stack(session: AwsSession, stub: Stubber) -> None:
    answer = described(
        "train-network",
        "UPDATE_ROLLBACK_COMPLETE",
        StackStatusReason="a resource failed",
        EnableTerminationProtection=True,
        Parameters=[
            {"ParameterKey": "Version", "ParameterValue": "12"},
            {"ParameterKey": "Secret"},
        ],
    )
    stub.add_response("describe_stacks", {"Stacks": [answer]}, {"StackName": "train-network"})
    found = stacks.stack(session, "train-network")
    assert found == Stack(
        "train-network", "UPDATE_ROLLBACK_COMPLETE", "a resource failed", protected=True
    )
    assert found.parameters == {"Version": "12", "Secret": ""}


def test_a_stack_that_does_not_exist(session: AwsSession, stub: Stubber) -> None:
    message = "Stack with id train-network does not exist"
    stub.add_client_error("describe_stacks", "ValidationError", message)
    assert stacks.stack(session, "train-network") is None


@pytest.mark.parametrize(
    ("code", "message", "reason"),
    [
        ("ValidationError", "1 validation error detected", "other"),
        ("AccessDenied", "it does not exist for you", "denied"),
    ],
)
def test_other_errors_are_not_a_missing_stack(
    session: AwsSession, stub: Stubber, code: str, message: str, reason: str
) -> None:
    stub.add_client_error("describe_stacks", code, message)
    with pytest.raises(AwsUnavailable) as caught:
        stacks.stack(session, "train-network")
    assert caught.value.reason == reason


def test_an_empty_answer_is_not_a_missing_stack(session: AwsSession, stub: Stubber) -> None:
    stub.add_response("describe_stacks", {"Stacks": []})
    with pytest.raises(AwsUnavailable, match="the answer about train-network is empty"):
        stacks.stack(session, "train-network")


def test_deleted_and_reviewed_stacks_are_not_deployed(session: AwsSession, stub: Stubber) -> None:
    first = [described("a", "CREATE_COMPLETE"), described("b", "REVIEW_IN_PROGRESS")]
    second = [described("c", "DELETE_COMPLETE"), described("d", "DELETE_FAILED")]
    stub.add_response("describe_stacks", {"Stacks": first, "NextToken": "more"})
    stub.add_response("describe_stacks", {"Stacks": second}, {"NextToken": "more"})
    assert [stack.name for stack in stacks.stacks(session)] == ["a", "d"]


def test_resources_that_are_not_deleted(session: AwsSession, stub: Stubber) -> None:
    def resource(name: str, status: str, **more: str) -> dict[str, Any]:
        return {
            "LogicalResourceId": name,
            "ResourceType": "AWS::EC2::VPC",
            "ResourceStatus": status,
            "LastUpdatedTimestamp": CREATED,
            **more,
        }

    stub.add_response(
        "list_stack_resources",
        {
            "StackResourceSummaries": [
                resource("Vpc", "CREATE_COMPLETE", PhysicalResourceId="vpc-1"),
                resource("Old", "DELETE_COMPLETE", PhysicalResourceId="vpc-0"),
                resource("New", "CREATE_IN_PROGRESS"),
            ]
        },
        {"StackName": "train-network"},
    )
    found = stacks.stack_resources(session, "train-network")
    assert found == (
        StackResource("Vpc", "AWS::EC2::VPC", "vpc-1"),
        StackResource("New", "AWS::EC2::VPC", ""),
    )
    assert [each.status for each in found] == ["CREATE_COMPLETE", "CREATE_IN_PROGRESS"]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (json.dumps({"Resources": {}}), {"Resources": {}}),
        ("Resources: {}", None),
        ("[]", None),
    ],
)
def test_the_template_of_a_stack(
    session: AwsSession, stub: Stubber, body: str, expected: dict[str, Any] | None
) -> None:
    asked = {"StackName": "train-network", "TemplateStage": "Original"}
    stub.add_response("get_template", {"TemplateBody": body}, asked)
    assert stacks.template(session, "train-network") == expected
