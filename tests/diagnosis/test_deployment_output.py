"""Failed resources in the output of deployment programs are read as stack events."""

from __future__ import annotations

import pytest

from clusterwright.diagnosis.deployment_output import FailedResource, read
from tests.diagnosis.made import findings, of_log

REASON = "Resource handler returned message: The role is not valid"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            f"prod | 22/67 | 4:31:14 AM | CREATE_FAILED        | AWS::EKS::Cluster  | "
            f"Eks/Cluster (EksClusterD2) {REASON}",
            FailedResource("AWS::EKS::Cluster", "Eks/Cluster", REASON),
        ),
        (
            "[8] 2022-02-02 01:55:29 [x]  AWS::EKS::Nodegroup/ManagedNodeGroup: CREATE_FAILED – "
            f'"{REASON}"',
            FailedResource("AWS::EKS::Nodegroup", "ManagedNodeGroup", REASON),
        ),
        (
            f"  - AWS::EC2::Instance MasterServer {REASON}",
            FailedResource("AWS::EC2::Instance", "MasterServer", REASON, is_failed=False),
        ),
        ("prod | 1/67 | 4:31:14 AM | CREATE_COMPLETE | AWS::EKS::Cluster | Eks", None),
    ],
)
def test_failed_resource_of_a_line(text: str, expected: FailedResource | None) -> None:
    assert read(text) == expected


def test_reason_in_the_next_line_belongs_to_the_row() -> None:
    items = of_log(
        "09:38:07 | CREATE_FAILED        | AWS::SageMaker::Cluster | Cluster\n"
        "Request to service failed. If failure persists after retry, contact customer support.\n"
        "    at new Function (function.js:71:26)"
    )
    assert [(item.kind, item.resource, item.failed) for item in items] == [
        ("stack-event", "Cluster", True),
        ("log", "", False),
    ]
    (found,) = findings(*items)
    assert "Cluster: a service failed by itself" in found.cause


ROW = "prod | 3/10 | 12:00:01 PM | DELETE_FAILED | AWS::EC2::Subnet | Subnet (SubAAA)"


@pytest.mark.parametrize(
    "after", ["", "\n[100%] success: Published abc:current", f"\n{ROW.replace('Sub', 'Other')}"]
)
def test_row_without_a_reason_is_a_failure_of_unknown_cause(after: str) -> None:
    items = of_log(ROW + after)
    assert items[0].text == "the program printed no reason"
    assert {item.resource for item in items if item.kind == "stack-event"} >= {"Subnet"}
    assert all("Published" not in found.cause for found in findings(*items))


@pytest.mark.parametrize(
    "line",
    [
        "- AWS::CloudFormation::Stack parallelcluster-x CREATE_COMPLETE",
        "- AWS::ECS::Cluster Cluster [create complete]  [10.2s]",
        "- AWS::FSx::FileSystem fs-0123 AVAILABLE",
    ],
)
def test_listed_resource_has_not_failed(line: str) -> None:
    assert findings(*of_log(line)) == ()


def test_consequences_of_a_failure_are_no_findings() -> None:
    items = of_log(
        "8/9 | 1:00:00 PM | CREATE_FAILED | AWS::IAM::Role | Role Resource creation cancelled\n"
        "8/9 | 1:00:00 PM | CREATE_FAILED | AWS::EC2::NatGateway | Nat The maximum number of "
        "addresses has been reached."
    )
    assert [f.signature for f in findings(*items)] == ["quota"]
