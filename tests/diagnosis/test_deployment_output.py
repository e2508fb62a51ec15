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
            FailedResource("AWS::EC2::Instance", "MasterServer", REASON),
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


def test_consequences_of_a_failure_are_no_findings() -> None:
    items = of_log(
        "8/9 | 1:00:00 PM | CREATE_FAILED | AWS::IAM::Role | Role Resource creation cancelled\n"
        "8/9 | 1:00:00 PM | CREATE_FAILED | AWS::EC2::NatGateway | Nat The maximum number of "
        "addresses has been reached."
    )
    assert [f.signature for f in findings(*items)] == ["quota"]
