"""Drift: differences between a resource and its template."""

from __future__ import annotations

from typing import Any

import pytest
from botocore.exceptions import ClientError

from packages.localaws.tests.cloudformation.stacks import (
    aws,
    cloudformation,
    create,
    described,
    parameter,
    resource,
    resources_of,
    template,
)

pytestmark = pytest.mark.usefixtures("local")

BODY = template(
    {
        "P": parameter("1"),
        "Logs": resource("AWS::Logs::LogGroup", {"RetentionInDays": 30}),
        "Vpc": resource("AWS::EC2::VPC", {"CidrBlock": "10.0.0.0/16"}),
        "Group": resource(
            "AWS::EC2::SecurityGroup",
            {
                "GroupDescription": "nodes",
                "VpcId": {"Ref": "Vpc"},
                "SecurityGroupIngress": [
                    {"IpProtocol": "tcp", "FromPort": 22, "ToPort": 22, "CidrIp": "10.0.0.0/8"}
                ],
            },
        ),
        "Rule": resource(
            "AWS::EC2::SecurityGroupIngress",
            {
                "GroupId": {"Ref": "Group"},
                "IpProtocol": "-1",
                "SourceSecurityGroupId": {"Ref": "Group"},
            },
        ),
        "Budget": resource(
            "AWS::Budgets::Budget",
            {
                "Budget": {
                    "BudgetType": "COST",
                    "TimeUnit": "MONTHLY",
                    "BudgetLimit": {"Amount": 10, "Unit": "USD"},
                }
            },
        ),
    }
)


def drifts(**parameters: Any) -> dict[str, dict[str, Any]]:
    answer = cloudformation().detect_stack_drift(StackName="one", **parameters)
    status = cloudformation().describe_stack_drift_detection_status(
        StackDriftDetectionId=answer["StackDriftDetectionId"]
    )
    assert status["DetectionStatus"] == "DETECTION_COMPLETE"
    found = cloudformation().describe_stack_resource_drifts(StackName="one")
    changed = [
        drift
        for drift in found["StackResourceDrifts"]
        if drift["StackResourceDriftStatus"] in ("MODIFIED", "DELETED")
    ]
    assert status["DriftedStackResourceCount"] == len(changed)
    return {drift["LogicalResourceId"]: drift for drift in found["StackResourceDrifts"]}


def physical(name: str) -> str:
    return str(resources_of("one")[name]["PhysicalResourceId"])


def test_a_fresh_stack_is_in_sync_as_far_as_it_can_be_read() -> None:
    create("one", BODY)
    found = {name: one["StackResourceDriftStatus"] for name, one in drifts().items()}
    # A rule that is a separate resource is not drift of its group.
    assert found["Group"] == "IN_SYNC"
    assert found["P"] == found["Logs"] == found["Vpc"] == "IN_SYNC"
    assert found["Budget"] == "NOT_CHECKED"
    assert described("one")["DriftInformation"]["StackDriftStatus"] == "IN_SYNC"


def test_a_changed_value() -> None:
    create("one", BODY)
    aws("ssm").put_parameter(Name=physical("P"), Value="2", Overwrite=True)
    item = drifts()["P"]
    assert item["StackResourceDriftStatus"] == "MODIFIED"
    assert item["PropertyDifferences"] == [
        {
            "PropertyPath": "/Value",
            "ExpectedValue": "1",
            "ActualValue": "2",
            "DifferenceType": "NOT_EQUAL",
        }
    ]
    assert described("one")["DriftInformation"]["StackDriftStatus"] == "DRIFTED"


def test_a_deleted_resource() -> None:
    create("one", BODY)
    aws("logs").delete_log_group(logGroupName=physical("Logs"))
    assert drifts()["Logs"]["StackResourceDriftStatus"] == "DELETED"


def test_a_rule_that_was_added_outside_the_stack() -> None:
    create("one", BODY)
    aws("ec2").authorize_security_group_ingress(
        GroupId=physical("Group"),
        IpPermissions=[
            {
                "IpProtocol": "tcp",
                "FromPort": 3389,
                "ToPort": 3389,
                "IpRanges": [{"CidrIp": "0.0.0.0/0"}],
            }
        ],
    )
    item = drifts()["Group"]
    assert item["StackResourceDriftStatus"] == "MODIFIED"
    (difference,) = item["PropertyDifferences"]
    assert difference["DifferenceType"] == "ADD"
    assert "3389" in difference["ActualValue"]


def test_one_resource_by_itself() -> None:
    create("one", BODY)
    aws("ssm").put_parameter(Name=physical("P"), Value="2", Overwrite=True)
    found = cloudformation().detect_stack_resource_drift(StackName="one", LogicalResourceId="P")
    assert found["StackResourceDrift"]["StackResourceDriftStatus"] == "MODIFIED"
    cloudformation().detect_stack_drift(StackName="one", LogicalResourceIds=["Vpc"])
    looked_at = cloudformation().describe_stack_resource_drifts(StackName="one")
    names = {drift["LogicalResourceId"] for drift in looked_at["StackResourceDrifts"]}
    assert names == {"P", "Vpc"}


def test_filters_and_unknown_names() -> None:
    create("one", BODY)
    drifts()
    found = cloudformation().describe_stack_resource_drifts(
        StackName="one", StackResourceDriftStatusFilters=["NOT_CHECKED"]
    )
    assert "Budget" in {drift["LogicalResourceId"] for drift in found["StackResourceDrifts"]}
    assert "P" not in {drift["LogicalResourceId"] for drift in found["StackResourceDrifts"]}
    with pytest.raises(ClientError, match="Resource X does not exist for stack one"):
        cloudformation().detect_stack_resource_drift(StackName="one", LogicalResourceId="X")
    with pytest.raises(ClientError, match="does not exist"):
        cloudformation().describe_stack_drift_detection_status(StackDriftDetectionId="x" * 36)
