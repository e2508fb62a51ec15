"""Signatures of the family `eks`, with messages as their sources write them."""

from __future__ import annotations

import pytest

from tests.diagnosis.made import findings, item, of_log, signature_of

RETRY = (
    "nodeadm[2015]: SDK 2026/02/19 07:57:30 DEBUG retrying request EC2/DescribeInstances, attempt "
)
CASES = (
    ("log", RETRY + "3", "nodeadm-request"),
    (
        "stack-event",
        "Health issues: [{Code: InsufficientNumberOfReplicas, Message: The add-on is unhealthy}]",
        "eks-issue",
    ),
    ("node-group", "KubernetesLabelInvalid: the label team! is not valid", "eks-issue"),
    (
        "log",
        "nodeadm[50500]: operation error EC2: DescribeInstances, https response error StatusCode: 0, "
        "RequestID: , canceled, context deadline exceeded",
        "nodeadm-request",
    ),
    (
        "log",
        "panic: Could not determine region from any metadata service. The region can be supplied",
        "metadata-hops",
    ),
)


@pytest.mark.parametrize(("kind", "text", "signature"), CASES)
def test_message_has_its_signature(kind: str, text: str, signature: str) -> None:
    assert signature_of(kind, text) == (signature,)


def test_two_attempts_of_a_start_are_normal() -> None:
    assert findings(*of_log(RETRY + "2\nnodeadm[2015]: Instance details populated")) == ()


def test_issue_with_a_signature_of_its_own_keeps_it() -> None:
    (found,) = findings(
        item("node-group", "InsufficientFreeAddresses: subnet-0a1b2c3d", failed=True)
    )
    assert found.signature == "subnet-addresses"


@pytest.mark.parametrize(
    "text",
    [
        "wandb: ResourceNotFound: run acme/x was deleted",
        "azure.core.exceptions: ResourceNotFound: The specified blob does not exist",
        "error: InternalFailure: SageMaker internal failure",
        "s3fs: code: LimitExceeded, message: too many open streams",
    ],
)
def test_codes_of_others_are_no_issues_of_eks(text: str) -> None:
    assert not {found.signature for found in findings(*of_log(text))} & {
        "eks-issue",
        "eks-issue-logged",
    }


def test_issue_in_a_log_is_recognised_by_a_code_of_its_own() -> None:
    said = "eksctl: Ec2LaunchTemplateNotFound: lt-0a1b2c3d was not found"
    assert "eks-issue-logged" in signature_of("log", said)
