"""Expressions of deployed templates as values."""

from __future__ import annotations

from clusterwright.review.physical_values import UNRESOLVED, PhysicalValues
from tests.review.templates import app, resource, stack


def test_values() -> None:
    values = PhysicalValues(
        app(n=stack({"Vpc": resource("AWS::EC2::VPC")})), {("n", "Vpc"): "vpc-1"}
    )
    assert values.of("n", "text") == "text"
    assert values.of("n", ("ref", "Vpc")) == "vpc-1"
    assert values.of("n", ("attribute", "Vpc", "VpcId")) == "vpc-1"
    assert values.of("n", ("attribute", "Vpc", "Arn")) is UNRESOLVED
    assert values.of("n", ("ref", "Other")) is UNRESOLVED
    assert values.of("n", ("join", ("a-", ("ref", "Vpc")))) == "a-vpc-1"
    assert values.of("n", ("join", ("a-", ("ref", "Other")))) is UNRESOLVED
    assert values.of("n", {"a": [("ref", "Vpc")]}) == {"a": ["vpc-1"]}
    assert values.of("n", ("import", "unknown")) is UNRESOLVED
