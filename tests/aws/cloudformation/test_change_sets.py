"""Change sets that are read and deleted, and drift."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from botocore.stub import ANY, Stubber

from clusterwright.aws.cloudformation import change_sets
from clusterwright.aws.cloudformation.change_sets import Change, ChangeSet, Drift, PropertyDrift
from clusterwright.aws.cloudformation.stacks import Stack
from clusterwright.aws.errors import AwsUnavailable
from clusterwright.aws.session import AwsSession

STACK = Stack("train", "CREATE_COMPLETE", None, False, {"Kept": "1", "Removed": "2"})
BODY = {"Parameters": {"Kept": {}, "Added": {}}, "Resources": {}}
CREATE = {
    "StackName": "train",
    "ChangeSetName": ANY,
    "ChangeSetType": "UPDATE",
    "Description": "clusterwright diff --deployed: read and deleted, never executed",
    "TemplateBody": '{"Parameters":{"Kept":{},"Added":{}},"Resources":{}}',
    "Capabilities": ["CAPABILITY_IAM", "CAPABILITY_NAMED_IAM", "CAPABILITY_AUTO_EXPAND"],
    "Parameters": [{"ParameterKey": "Kept", "UsePreviousValue": True}],
}


@pytest.fixture(autouse=True)
def _no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(change_sets, "_POLL_SECONDS", 0)


@pytest.fixture
def stub(session: AwsSession) -> Iterator[Stubber]:
    with Stubber(session.client("cloudformation")) as stub:
        yield stub
        stub.assert_no_pending_responses()


def resource_change(name: str, **more: Any) -> dict[str, Any]:
    return {
        "Type": "Resource",
        "ResourceChange": {
            "LogicalResourceId": name,
            "ResourceType": "AWS::EC2::VPC",
            "Action": "Modify",
            **more,
        },
    }


def test_the_changes_of_every_page(session: AwsSession, stub: Stubber) -> None:
    stub.add_response("create_change_set", {}, CREATE)
    stub.add_response("describe_change_set", {"Status": "CREATE_IN_PROGRESS"})
    target = {"Attribute": "Properties", "Name": "CidrBlock"}
    stub.add_response(
        "describe_change_set",
        {
            "Status": "CREATE_COMPLETE",
            "Changes": [
                resource_change(
                    "Vpc",
                    Replacement="True",
                    PolicyAction="ReplaceAndRetain",
                    Details=[{"Target": target}, {"Target": target}, {"Evaluation": "Static"}],
                )
            ],
            "NextToken": "more",
        },
    )
    stub.add_response(
        "describe_change_set",
        {
            "Status": "CREATE_COMPLETE",
            "Changes": [resource_change("Tagged", Details=[{"Target": {"Attribute": "Tags"}}])],
        },
        {
            "StackName": "train",
            "ChangeSetName": ANY,
            "NextToken": "more",
            "IncludePropertyValues": True,
        },
    )
    stub.add_response("delete_change_set", {})
    found = change_sets.change_set(session, STACK, BODY, deadline_seconds=10)
    assert found == ChangeSet(
        (
            Change("Vpc", "AWS::EC2::VPC", "Modify", "True", ("CidrBlock",), "ReplaceAndRetain"),
            Change("Tagged", "AWS::EC2::VPC", "Modify", None, ("Tags",), None),
        )
    )


@pytest.mark.parametrize(
    ("reason", "refusal"),
    [
        ("The submitted information didn't contain changes.", None),
        ("No updates are to be performed.", None),
        ("Transform failed", "Transform failed"),
        (None, "no reason is given"),
    ],
)
def test_a_failed_change_set(
    session: AwsSession, stub: Stubber, reason: str | None, refusal: str | None
) -> None:
    stub.add_response("create_change_set", {})
    answer = {"Status": "FAILED", **({"StatusReason": reason} if reason else {})}
    stub.add_response("describe_change_set", answer)
    stub.add_response("delete_change_set", {})
    found = change_sets.change_set(session, STACK, BODY, deadline_seconds=10)
    assert found == ChangeSet(refusal=refusal)


def test_an_incomplete_change_set_has_a_warning(session: AwsSession, stub: Stubber) -> None:
    warning = "[WARN] incomplete ChangeSet data because: No export named vpc"
    stub.add_response("create_change_set", {}, CREATE)
    stub.add_response(
        "describe_change_set",
        {
            "Status": "CREATE_COMPLETE",
            "StatusReason": warning,
            "Changes": [resource_change("Vpc")],
        },
        {"StackName": "train", "ChangeSetName": ANY, "IncludePropertyValues": True},
    )
    stub.add_response("delete_change_set", {})
    found = change_sets.change_set(session, STACK, BODY, deadline_seconds=10)
    assert (found.refusal, found.warning) == (None, warning)
    assert [change.logical_id for change in found.changes] == ["Vpc"]


def test_a_template_that_is_too_large_is_not_sent(session: AwsSession) -> None:
    body = {"Description": "x" * change_sets.MAXIMUM_BODY_BYTES}
    found = change_sets.change_set(session, STACK, body, deadline_seconds=10)
    assert found.changes == ()
    assert found.refusal is not None
    assert found.refusal.startswith("its template has 51,218 bytes")


def test_a_change_set_is_deleted_after_the_deadline(session: AwsSession, stub: Stubber) -> None:
    stub.add_response("create_change_set", {})
    stub.add_response("describe_change_set", {"Status": "CREATE_PENDING"})
    stub.add_response("delete_change_set", {})
    with pytest.raises(AwsUnavailable) as caught:
        change_sets.change_set(session, STACK, BODY, deadline_seconds=-1)
    assert (caught.value.operation, caught.value.reason) == ("DescribeChangeSet", "timeout")


def drifted(name: str, status: str, *differences: dict[str, str]) -> dict[str, Any]:
    return {
        "StackId": "train",
        "LogicalResourceId": name,
        "ResourceType": "AWS::EC2::VPC",
        "StackResourceDriftStatus": status,
        "Timestamp": "2026-11-01T00:00:00Z",
        "PropertyDifferences": list(differences),
    }


def detection(status: str) -> dict[str, str]:
    return {
        "StackId": "train",
        "StackDriftDetectionId": "drift-1",
        "DetectionStatus": status,
        "Timestamp": "2026-11-01T00:00:00Z",
    }


def test_drift_of_every_page(session: AwsSession, stub: Stubber) -> None:
    difference = {
        "PropertyPath": "/Tags/0/Value",
        "ExpectedValue": "train",
        "ActualValue": "dev",
        "DifferenceType": "NOT_EQUAL",
    }
    stub.add_response("detect_stack_drift", {"StackDriftDetectionId": "drift-1"})
    for status in ("DETECTION_IN_PROGRESS", "DETECTION_COMPLETE"):
        stub.add_response("describe_stack_drift_detection_status", detection(status))
    stub.add_response(
        "describe_stack_resource_drifts",
        {"StackResourceDrifts": [drifted("Vpc", "MODIFIED", difference)], "NextToken": "more"},
    )
    stub.add_response(
        "describe_stack_resource_drifts",
        {
            "StackResourceDrifts": [
                drifted("Nat", "DELETED"),
                drifted("Same", "IN_SYNC"),
                drifted("Rule", "NOT_CHECKED"),
            ]
        },
    )
    assert change_sets.drift(session, "train", deadline_seconds=10) == Drift(
        (
            PropertyDrift("train", "Vpc", "Tags.0.Value", "train", "dev"),
            PropertyDrift("train", "Nat", "", "there", "deleted"),
        ),
        frozenset({"Vpc", "Nat", "Same"}),
    )


def test_a_failed_detection_keeps_what_it_checked(session: AwsSession, stub: Stubber) -> None:
    reason = "Failed to detect drift on resources [Key]"
    failed = {**detection("DETECTION_FAILED"), "DetectionStatusReason": reason}
    stub.add_response("detect_stack_drift", {"StackDriftDetectionId": "drift-1"})
    stub.add_response("describe_stack_drift_detection_status", failed)
    stub.add_response(
        "describe_stack_resource_drifts", {"StackResourceDrifts": [drifted("Vpc", "IN_SYNC")]}
    )
    found = change_sets.drift(session, "train", deadline_seconds=10)
    assert found == Drift((), frozenset({"Vpc"}), reason)


def test_drift_detection_has_a_deadline(session: AwsSession, stub: Stubber) -> None:
    stub.add_response("detect_stack_drift", {"StackDriftDetectionId": "drift-1"})
    stub.add_response("describe_stack_drift_detection_status", detection("DETECTION_IN_PROGRESS"))
    with pytest.raises(AwsUnavailable) as caught:
        change_sets.drift(session, "train", deadline_seconds=-1)
    assert caught.value.operation == "DescribeStackDriftDetectionStatus"
