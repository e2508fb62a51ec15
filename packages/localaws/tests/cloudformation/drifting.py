"""A stack with resources whose drift can, and cannot, be read."""

from __future__ import annotations

from typing import Any

from packages.localaws.tests.cloudformation.stacks import (
    cloudformation,
    parameter,
    resource,
    resources_of,
    template,
)

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
