"""Enumeration values and amounts in responses."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from clusterwright.aws.errors import AwsUnavailable
from clusterwright.aws.session import AwsSession
from clusterwright.aws.values import is_usd, known_value, usd_amount

NAT_GATEWAY = {"service": "ec2", "operation": "DescribeNatGateways", "shape": "NatGatewayState"}


def test_a_value_of_the_model_is_returned(session: AwsSession) -> None:
    assert known_value(session, "available", **NAT_GATEWAY) == "available"


def test_a_value_that_the_model_lacks_is_unavailable(session: AwsSession) -> None:
    with pytest.raises(AwsUnavailable) as caught:
        known_value(session, "paused", **NAT_GATEWAY)
    assert caught.value.message == (
        "ec2 DescribeNatGateways in us-east-1 failed "
        "(NatGatewayState 'paused' is not known to this version)"
    )


@pytest.mark.parametrize(
    ("answer", "expected"),
    [({}, True), ({"CurrencyCode": "USD"}, True), ({"CurrencyCode": "CNY"}, False)],
)
def test_dollars_are_the_default(answer: dict[str, str], expected: bool) -> None:
    assert is_usd(answer) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("71.552", Decimal("71.552")),
        (3, Decimal(3)),
        ("0", None),
        ("-5", None),
        ("cheap", None),
        ("NaN", None),
        ("Infinity", None),
        (None, None),
    ],
)
def test_only_positive_amounts_are_amounts(text: Any, expected: Decimal | None) -> None:
    assert usd_amount(text) == expected
