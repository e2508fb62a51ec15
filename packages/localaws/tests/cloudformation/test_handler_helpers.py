"""Helpers of handlers: properties as parameters, tags, policies."""

from __future__ import annotations

from typing import Any
from unittest.mock import Mock

import boto3

from clusterwright_localaws.cloudformation.handler import Context
from clusterwright_localaws.cloudformation.handler_helpers import (
    changed,
    ec2_tags,
    key_value_map,
    lower_first,
    pick,
    policy_text,
    retag,
    retag_ec2,
)

PAIRS = [{"Key": "a", "Value": "1"}]


def context(client: Any = None, **more: Any) -> Context:
    found = Context(
        account="111122223333",
        region="us-east-1",
        partition="aws",
        stack_name="s",
        stack_id="arn",
        logical_id="L",
        resource_type="AWS::EC2::VPC",
        token="t",
        **{"stack_tags": {}, **more},
    )
    if client is not None:
        found.client = lambda service, *, region=None: client  # type: ignore[method-assign]
    return found


def test_properties_as_parameters() -> None:
    properties = {"A": 1, "B": None, "C": 3}
    assert pick(properties, "A", "B", "D", C="c", E="e") == {"A": 1, "B": None, "c": 3}


def test_a_policy_as_text() -> None:
    assert policy_text('{"a": 1}') == '{"a": 1}'
    assert policy_text({"a": [1]}) == '{"a": [1]}'


def test_a_difference_in_any_of_the_named_properties() -> None:
    assert changed({"A": 1}, {"A": 1, "B": 2}, "A", "B")
    assert not changed({"A": 1}, {"A": 1, "B": 2}, "A")


def test_tags_of_ec2_at_creation() -> None:
    assert ec2_tags(context(), "vpc", None) == {}
    found = ec2_tags(context(stack_tags={"team": "x"}), "vpc", PAIRS)
    assert found == {
        "TagSpecifications": [
            {"ResourceType": "vpc", "Tags": [{"Key": "team", "Value": "x"}, *PAIRS]}
        ]
    }


def test_tags_of_ec2_in_an_update() -> None:
    ec2 = Mock()
    retag_ec2(
        context(ec2, previous_stack_tags={"old": "1"}), "vpc-1", {"Tags": []}, {"Tags": PAIRS}
    )
    ec2.delete_tags.assert_called_once_with(Resources=["vpc-1"], Tags=[{"Key": "old"}])
    ec2.create_tags.assert_called_once_with(Resources=["vpc-1"], Tags=PAIRS)


def test_tags_that_stay_need_no_call() -> None:
    keys = {"aws_access_key_id": "a", "aws_secret_access_key": "b"}
    fsx = boto3.client("fsx", "us-east-1", **keys)
    fsx.tag_resource, fsx.untag_resource = Mock(), Mock()
    retag(context(fsx), "fsx", {"Tags": PAIRS}, {"Tags": PAIRS}, ResourceARN="arn")
    fsx.tag_resource.assert_not_called()
    fsx.untag_resource.assert_not_called()
    retag(context(fsx), "fsx", {"Tags": PAIRS}, {}, ResourceARN="arn")
    fsx.untag_resource.assert_called_once_with(ResourceARN="arn", TagKeys=["a"])
    retag(context(fsx), "fsx", {}, {"Tags": PAIRS}, ResourceARN="arn")
    fsx.tag_resource.assert_called_once_with(ResourceARN="arn", Tags=PAIRS)


def test_keys_in_the_case_of_an_api() -> None:
    value = {"RoleArn": "Ab", "Items": [{"Name": 1}, "Text"]}
    assert lower_first(value) == {"roleArn": "Ab", "items": [{"name": 1}, "Text"]}


def test_pairs_as_a_mapping() -> None:
    assert key_value_map([*PAIRS, {"Key": "b", "Value": "2"}]) == {"a": "1", "b": "2"}
