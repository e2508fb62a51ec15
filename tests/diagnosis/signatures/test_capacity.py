"""Signatures of the family `capacity`, with messages as their sources write them."""

from __future__ import annotations

import pytest

from tests.diagnosis.made import findings, item, of_log, signature_of

CASES = (
    (
        "scaling-activity",
        "You have requested more vCPU capacity than your current vCPU limit of 64 allows",
        "quota",
    ),
    (
        "scaling-activity",
        "Max spot instance count exceeded. Launching EC2 instance failed.",
        "quota",
    ),
    ("log", "LimitExceeded: Cannot exceed quota for RolesPerAccount: 1000", "quota"),
    ("stack-event", "LimitExceededException: Limit for stack has been exceeded", "quota"),
    (
        "stack-event",
        "InvalidCapacityReservationId.NotFound: the capacity reservation cr-0123456789abcdef0 does not exist",
        "reservation-unusable",
    ),
    ("log", "Server.SpotInstanceTermination: Spot instance termination", "spot-interruption"),
    ("cluster-event", "The training plan has expired", "capacity-block-ends"),
    ("stack-event", "RequestLimitExceeded: Request limit exceeded.", "throttled"),
    (
        "stack-event",
        "The requested instance type isn't supported in the specified AWS Region.",
        "type-not-in-region",
    ),
    (
        "log",
        "InvalidParameterCombination: The associatePublicIPAddress parameter cannot be specified when "
        "launching with multiple network interfaces.; UnfulfillableCapacity: Unable to fulfill",
        "public-address",
    ),
)


@pytest.mark.parametrize(("kind", "text", "signature"), CASES)
def test_message_has_its_signature(kind: str, text: str, signature: str) -> None:
    assert signature_of(kind, text) == (signature,)


@pytest.mark.parametrize(
    ("text", "signature"),
    [
        ('all available instance types exceed limits for nodepool: "gpu"', "quota"),
        ("WARNING fetcher: Max retry count exceeded for shard-0012.tar, using a mirror", "quota"),
        ("INFO gateway: Maximum login attempt count exceeded", "quota"),
    ],
)
def test_similar_line_of_another_cause(text: str, signature: str) -> None:
    assert signature not in signature_of("log", text)


def test_count_of_attempts_hides_no_exception() -> None:
    text = "ERROR supervisor: Maximum restart count exceeded\nValueError: a batch of no rows"
    assert ["ValueError" in f.cause for f in findings(*of_log(text))] == [True]


@pytest.mark.parametrize(
    ("text", "named"),
    [
        (
            'Resource handler returned message: "Cannot exceed quota for PoliciesPerRole: 10 (Service: '
            'Iam, Status Code: 409)" (HandlerErrorCode: ServiceLimitExceeded)',
            "PoliciesPerRole: limit 10",
        ),
        (
            "VolumeLimitExceeded: You have exceeded your maximum gp3 storage limit of 50 TiB in this "
            "region.",
            "gp3 storage: limit 50 TiB",
        ),
        ("LimitExceededException: Limit for stack has been exceeded", "stack"),
        (
            "The maximum number of internet gateways has been reached. (Service: Ec2, "
            "HandlerErrorCode: ServiceLimitExceeded)",
            "internet gateways",
        ),
    ],
)
def test_a_quota_is_named(text: str, named: str) -> None:
    (finding,) = findings(item("stack-event", text, failed=True, resource="x"))
    assert finding.cause == f"a service quota is too small: {named}"


@pytest.mark.parametrize(
    "added",
    [
        "(aws-error-code=UnfulfillableCapacity, aws-operation-name=CreateFleet)",
        "aws-error-code: UnfulfillableCapacity aws-operation-name: CreateFleet",
        '"aws-error-code":"UnfulfillableCapacity","aws-operation-name":"CreateFleet"',
    ],
)
@pytest.mark.parametrize(
    ("error", "signature"),
    [
        (
            "InvalidParameter: Security group sg-0123456789abcdef0 and subnet "
            "subnet-0123456789abcdef0 belong to different networks.",
            "networks-differ",
        ),
        ("InsufficientInstanceCapacity: There is no capacity.", "launch-template-capacity"),
        ("UnfulfillableCapacity: Unable to fulfill capacity", "launch-template-capacity"),
    ],
)
def test_code_that_karpenter_adds_is_no_lack_of_capacity(
    error: str, signature: str, added: str
) -> None:
    assert signature_of("log", f"launching nodeclaim, {error} {added}") == (signature,)
