"""Calls of probes: tags, errors, endpoints that do not answer."""

from __future__ import annotations

from typing import Any

import pytest

from clusterwright_localaws.core.runtime import Runtime
from clusterwright_localaws.probes.calls import (
    TAG,
    BotoCaller,
    NoAnswer,
    can_be_tagged,
    operation_exists,
    tagged,
)
from clusterwright_localaws.probes.model import Call


def call(service: str, operation: str, **parameters: Any) -> Call:
    return Call(service=service, operation=operation, parameters=parameters)


@pytest.fixture
def caller(aws: Runtime) -> BotoCaller:
    return BotoCaller("us-east-1", aws_access_key_id="testing", aws_secret_access_key="testing")


@pytest.mark.parametrize(
    ("given", "member", "expected"),
    [
        (
            call("ec2", "CreateVpc", CidrBlock="10.0.0.0/16"),
            "TagSpecifications",
            [{"ResourceType": "vpc", "Tags": [{"Key": TAG, "Value": "r1"}]}],
        ),
        (
            call(
                "ec2",
                "CreateVpc",
                TagSpecifications=[{"ResourceType": "vpc", "Tags": [{"Key": "a", "Value": "b"}]}],
            ),
            "TagSpecifications",
            [
                {
                    "ResourceType": "vpc",
                    "Tags": [{"Key": "a", "Value": "b"}, {"Key": TAG, "Value": "r1"}],
                }
            ],
        ),
        (call("kms", "CreateKey"), "Tags", [{"TagKey": TAG, "TagValue": "r1"}]),
        (call("logs", "CreateLogGroup", tags={"a": "b"}), "tags", {"a": "b", TAG: "r1"}),
        (
            call("iam", "CreateRole", Tags=[{"Key": "a", "Value": "b"}]),
            "Tags",
            [{"Key": "a", "Value": "b"}, {"Key": TAG, "Value": "r1"}],
        ),
    ],
)
def test_creating_calls_are_tagged(given: Call, member: str, expected: Any) -> None:
    assert tagged(given, "r1").parameters[member] == expected


@pytest.mark.parametrize(
    "given", [call("ec2", "DescribeVpcs"), call("s3", "CreateBucket", Bucket="b")]
)
def test_other_calls_are_not_changed(given: Call) -> None:
    assert tagged(given, "r1") == given
    assert not can_be_tagged(given)


def test_operations() -> None:
    assert operation_exists(call("ec2", "DescribeVpcs"))
    assert not operation_exists(call("ec2", "DescribeHouses"))


def test_answer_and_error(caller: BotoCaller) -> None:
    answer = caller(call("sts", "GetCallerIdentity"))
    assert (answer.status, answer.code) == (200, None)
    assert "ResponseMetadata" not in answer.members
    refused = caller(call("iam", "GetRole", RoleName="none"))
    assert (refused.status, refused.code) == (404, "NoSuchEntity")
    assert "none" in refused.message


def test_invalid_parameters_reach_the_endpoint(caller: BotoCaller) -> None:
    assert caller(call("sagemaker", "ListClusters", MaxResults=101)).code == "ValidationException"


def test_parameters_that_cannot_be_sent_are_no_answer(caller: BotoCaller) -> None:
    with pytest.raises(NoAnswer):
        caller(call("s3", "GetObject", Key="k"))


@pytest.mark.enable_socket
def test_closed_port_is_no_answer() -> None:
    key = {"aws_access_key_id": "testing", "aws_secret_access_key": "testing"}
    closed = BotoCaller("us-east-1", "http://127.0.0.1:9", **key)
    with pytest.raises(NoAnswer, match="Could not connect"):
        closed(call("sts", "GetCallerIdentity"))
