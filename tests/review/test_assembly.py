"""Templates of a version, and the pseudo parameters of its deployment."""

from __future__ import annotations

import pytest

from clusterwright.review.assembly import (
    EMPTY,
    Assembly,
    StackTemplate,
    pseudo_parameters,
)


@pytest.mark.parametrize(
    ("partition", "suffix"), [("aws", "amazonaws.com"), ("aws-cn", "amazonaws.com.cn")]
)
def test_pseudo_parameters(partition: str, suffix: str) -> None:
    assert pseudo_parameters("111122223333", "us-east-1", partition) == {
        "AWS::AccountId": "111122223333",
        "AWS::Region": "us-east-1",
        "AWS::Partition": partition,
        "AWS::URLSuffix": suffix,
    }


def test_the_scope_of_a_stack() -> None:
    template = {"Parameters": {"Name": {"Type": "String"}}}
    stack = StackTemplate("network", template, {"Name": "train"})
    assembly = Assembly({"network": stack}, {"AWS::Region": "eu-west-2"})
    scope = assembly.scope("network")
    assert scope.value({"Fn::Sub": "${Name}-${AWS::Region}"}) == "train-eu-west-2"
    assert assembly.region == "eu-west-2"
    assert EMPTY.region == "us-east-1"
