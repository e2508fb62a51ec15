"""Signatures of the family `capacity`, with messages as their sources write them."""

from __future__ import annotations

import pytest

from tests.diagnosis.made import signature_of

CASES = (
    (
        "scaling-activity",
        "You have requested more vCPU capacity than your current vCPU limit of 64 allows",
        "quota",
    ),
    (
        "stack-event",
        "InvalidCapacityReservationId.NotFound: the capacity reservation cr-0123456789abcdef0 does not exist",
        "reservation-unusable",
    ),
    ("log", "Server.SpotInstanceTermination: Spot instance termination", "spot-interruption"),
    ("cluster-event", "The training plan has expired", "capacity-block-ends"),
    ("stack-event", "RequestLimitExceeded: Request limit exceeded.", "throttled"),
)


@pytest.mark.parametrize(("kind", "text", "signature"), CASES)
def test_message_has_its_signature(kind: str, text: str, signature: str) -> None:
    assert signature_of(kind, text) == (signature,)


@pytest.mark.parametrize(
    ("text", "signature"),
    [
        ('all available instance types exceed limits for nodepool: "gpu"', "quota"),
    ],
)
def test_similar_line_of_another_cause(text: str, signature: str) -> None:
    assert signature not in signature_of("log", text)
