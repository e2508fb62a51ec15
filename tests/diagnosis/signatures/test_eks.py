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
