"""Descriptions of stacks: by name and id, in pages, newest event first, also after deletion."""

from __future__ import annotations

import uuid
from typing import Any

import pytest
from botocore.exceptions import ClientError

from clusterwright_localaws.core.runtime import runtime
from packages.localaws.tests.cloudformation.stacks import (
    ACCOUNT,
    REGION,
    Pretend,
    aws,
    cloudformation,
    create,
    delete,
    described,
    parameter,
    resource,
    resources_of,
    template,
    update,
)

pytestmark = pytest.mark.usefixtures("pretend")
ONE = template({"P": parameter("1")})


def test_members_that_a_stack_does_not_have_are_absent() -> None:
    cloudformation().create_stack(StackName="one", TemplateBody=ONE)
    stack = described("one")
    assert (stack["Tags"], stack["NotificationARNs"]) == ([], [])
    assert not {"Capabilities", "Outputs", "Parameters"} & set(stack)


def test_an_unknown_resource_is_refused_with_the_stack_as_it_was_named() -> None:
    stack_id = create("one", ONE)["StackId"]
    for name in ("one", stack_id):
        with pytest.raises(ClientError) as caught:
            cloudformation().describe_stack_resource(StackName=name, LogicalResourceId="Q")
        assert caught.value.response["Error"]["Message"] == (
            f"Resource Q does not exist for stack {name}"
        )


def test_a_stack_shows_its_settings() -> None:
    stack = create(
        "one",
        template(
            {"P": parameter({"Ref": "Text"})},
            Description="All about one",
            Parameters={
                "Text": {"Type": "String"},
                "Word": {"Type": "String", "NoEcho": True, "Default": "hidden"},
            },
            Outputs={"Name": {"Value": {"Ref": "P"}, "Description": "its name"}},
        ),
        Parameters=[{"ParameterKey": "Text", "ParameterValue": "x"}],
        Tags=[{"Key": "team", "Value": "ml"}],
        EnableTerminationProtection=True,
        TimeoutInMinutes=5,
    )
    assert stack["StackId"].startswith(f"arn:aws:cloudformation:{REGION}:{ACCOUNT}:stack/one/")
    uuid.UUID(stack["StackId"].rsplit("/", 1)[1])
    assert stack["StackStatus"] == "CREATE_COMPLETE"
    assert stack["Description"] == "All about one"
    shown = {item["ParameterKey"]: item["ParameterValue"] for item in stack["Parameters"]}
    assert shown == {"Text": "x", "Word": "****"}
    assert stack["Tags"] == [{"Key": "team", "Value": "ml"}]
    assert stack["EnableTerminationProtection"]
    assert stack["Outputs"] == [
        {"OutputKey": "Name", "OutputValue": "P-1", "Description": "its name"}
    ]
    assert stack["CreationTime"] == described("one")["CreationTime"]


def test_unknown_stack_is_not_found() -> None:
    with pytest.raises(ClientError, match="Stack with id absent does not exist") as refused:
        described("absent")
    assert refused.value.response["Error"]["Code"] == "ValidationError"
    assert refused.value.response["ResponseMetadata"]["HTTPStatusCode"] == 400


def test_a_deleted_stack_is_found_by_its_id_only() -> None:
    stack_id = create("one", ONE)["StackId"]
    delete("one")
    with pytest.raises(ClientError, match="does not exist"):
        described("one")
    assert described(stack_id)["StackStatus"] == "DELETE_COMPLETE"
    assert described(stack_id)["DeletionTime"] >= described(stack_id)["CreationTime"]
    newest = cloudformation().describe_stack_events(StackName=stack_id)["StackEvents"][0]
    assert (newest["LogicalResourceId"], newest["ResourceStatus"]) == ("one", "DELETE_COMPLETE")


def test_a_deleted_stack_is_no_longer_found_after_90_days() -> None:
    stack_id = create("one", ONE)["StackId"]
    delete("one")
    create("two", ONE)
    runtime().clock.advance(91 * 24 * 3600)
    with pytest.raises(ClientError, match="does not exist"):
        described(stack_id)
    with pytest.raises(ClientError, match="does not exist"):
        cloudformation().describe_stack_events(StackName=stack_id)
    listed = cloudformation().list_stacks()["StackSummaries"]
    assert [one["StackName"] for one in listed] == ["two"]


def test_name_can_be_reused_after_deletion() -> None:
    first = create("one", ONE)["StackId"]
    delete("one")
    second = create("one", ONE)["StackId"]
    assert first != second
    found = {
        stack_summary["StackId"]: stack_summary["StackStatus"]
        for stack_summary in cloudformation().list_stacks()["StackSummaries"]
    }
    assert found == {first: "DELETE_COMPLETE", second: "CREATE_COMPLETE"}


def test_stacks_are_listed_by_status() -> None:
    create("one", ONE)
    create("two", ONE)
    delete("two")
    listed = cloudformation().list_stacks(StackStatusFilter=["DELETE_COMPLETE"])
    assert [stack_summary["StackName"] for stack_summary in listed["StackSummaries"]] == ["two"]
    assert [stack["StackName"] for stack in cloudformation().describe_stacks()["Stacks"]] == [
        "one"
    ]


def test_stacks_of_other_regions_and_accounts_are_not_seen() -> None:
    create("one", ONE)
    assert aws("cloudformation", "eu-north-1").describe_stacks()["Stacks"] == []


def test_resources_are_found_by_stack_and_by_physical_id() -> None:
    create("one", template({"P": parameter("1"), "T": resource("AWS::SNS::Topic")}))
    physical = resources_of("one")["T"]["PhysicalResourceId"]
    found = cloudformation().describe_stack_resources(PhysicalResourceId=physical)
    assert {stack_resource["LogicalResourceId"] for stack_resource in found["StackResources"]} == {
        "P",
        "T",
    }
    only = cloudformation().describe_stack_resources(StackName="one", LogicalResourceId="T")
    assert [stack_resource["ResourceType"] for stack_resource in only["StackResources"]] == [
        "AWS::SNS::Topic"
    ]
    with pytest.raises(ClientError, match="Stack for nothing does not exist"):
        cloudformation().describe_stack_resources(PhysicalResourceId="nothing")
    with pytest.raises(ClientError, match="must be specified"):
        cloudformation().describe_stack_resources()


def test_describe_stack_resource_returns_details() -> None:
    create("one", template({"P": parameter("1", Metadata={"aws:cdk:path": "one/P"})}))
    detail = cloudformation().describe_stack_resource(StackName="one", LogicalResourceId="P")
    assert detail["StackResourceDetail"]["Metadata"] == '{"aws:cdk:path": "one/P"}'
    assert detail["StackResourceDetail"]["DriftInformation"] == {
        "StackResourceDriftStatus": "NOT_CHECKED"
    }
    with pytest.raises(ClientError, match="Resource Q does not exist for stack one"):
        cloudformation().describe_stack_resource(StackName="one", LogicalResourceId="Q")


def test_stack_resources_are_paginated() -> None:
    create("many", template({f"P{n}": parameter("1") for n in range(120)}))
    pages = cloudformation().get_paginator("list_stack_resources").paginate(StackName="many")
    sizes = [len(page["StackResourceSummaries"]) for page in pages]
    assert len(sizes) > 1
    assert sum(sizes) == 120


def test_events_are_filtered_by_operation(pretend: Pretend) -> None:
    create("one", ONE)
    pretend.fail = lambda _, name, properties: "no more" if properties["Value"] == "2" else None
    update("one", template({"P": parameter("2")}))
    stack = described("one")
    last = {
        last_operation["OperationType"]: last_operation["OperationId"]
        for last_operation in stack["LastOperations"]
    }
    events = _all_events(OperationId=last["UPDATE_STACK"])
    assert {event["OperationId"] for event in events} == {last["UPDATE_STACK"]}
    failed = _all_events(OperationId=last["UPDATE_STACK"], Filters={"FailedEvents": True})
    assert [item["LogicalResourceId"] for item in failed] == ["P"]
    assert failed[0]["EventType"] == "PROVISIONING_ERROR"
    assert "no more" in failed[0]["ResourceStatusReason"]
    with pytest.raises(ClientError, match="must be specified"):
        cloudformation().describe_events()


def _all_events(**parameters: Any) -> list[dict[str, Any]]:
    pages = cloudformation().get_paginator("describe_events").paginate(**parameters)
    return [operation_event for page in pages for operation_event in page["OperationEvents"]]
