"""The condition keys of a request, by where they come from."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from clusterwright_localaws.iam.actions import action_of
from clusterwright_localaws.iam.principals import Caller
from clusterwright_localaws.iam.request_keys import (
    context_of,
    of_caller,
    of_parameters,
    of_surroundings,
    request_tags,
)
from clusterwright_localaws.worlds.loading import load_world
from clusterwright_localaws.worlds.model import World

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
USER = Caller(
    "user",
    "111122223333",
    "arn:aws:iam::111122223333:user/ann",
    unique_id="AIDAANN",
    tags={"team": "red"},
    called_via=("cloudformation.amazonaws.com", "athena.amazonaws.com"),
)


def test_keys_of_a_user_that_a_service_calls_for() -> None:
    assert of_caller(USER, World()) == {
        "aws:PrincipalIsAWSService": "false",
        "aws:PrincipalArn": USER.arn,
        "aws:PrincipalAccount": "111122223333",
        "aws:PrincipalType": "User",
        "aws:userid": "AIDAANN",
        "aws:ViaAWSService": "true",
        "aws:PrincipalTag/team": "red",
        "aws:username": "ann",
        "aws:CalledVia": USER.called_via,
        "aws:CalledViaFirst": "cloudformation.amazonaws.com",
        "aws:CalledViaLast": "athena.amazonaws.com",
    }


@pytest.mark.parametrize(
    ("caller", "expected"),
    [
        (
            Caller("service", service="eks.amazonaws.com"),
            {
                "aws:PrincipalIsAWSService": "true",
                "aws:PrincipalServiceName": "eks.amazonaws.com",
            },
        ),
        (
            Caller("anonymous"),
            {
                "aws:PrincipalIsAWSService": "false",
                "aws:PrincipalType": "Anonymous",
                "aws:userid": "anonymous",
            },
        ),
    ],
)
def test_services_and_anonymous_callers_have_few_keys(
    caller: Caller, expected: dict[str, str]
) -> None:
    assert of_caller(caller, World()) == expected


def test_a_session_has_the_arn_of_its_role_and_the_keys_it_brought() -> None:
    session = Caller(
        "role",
        "111122223333",
        "arn:aws:sts::111122223333:assumed-role/r/s",
        role_arn="arn:aws:iam::111122223333:role/r",
        context={"aws:SourceIdentity": "ann"},
    )
    found = of_caller(session, World())
    assert found["aws:PrincipalArn"] == "arn:aws:iam::111122223333:role/r"
    assert found["aws:PrincipalType"] == "AssumedRole"
    assert found["aws:SourceIdentity"] == "ann"
    assert "aws:username" not in found


def test_when_where_and_how() -> None:
    assert of_surroundings(NOW, "eu-west-1", None) == {
        "aws:CurrentTime": "2026-01-02T03:04:05Z",
        "aws:EpochTime": "1767323045",
        "aws:RequestedRegion": "eu-west-1",
        "aws:SecureTransport": "true",
        "s3:TlsVersion": "1.3",
        "aws:SourceIp": "127.0.0.1",
    }


class TestParameters:
    def test_a_key_is_filled_from_the_parameter_of_its_name(self) -> None:
        found = of_parameters(
            action_of("ec2:RunInstances"),
            {"InstanceType": "p5.48xlarge", "TagSpecifications": [{"Tags": [tag("a", "1")]}]},
        )
        assert found == {
            "aws:RequestTag/a": "1",
            "aws:TagKeys": ("a",),
            "ec2:InstanceType": ("p5.48xlarge",),
        }

    def test_values_of_a_list_count_once(self) -> None:
        groups = [{"InstanceType": "a"}, {"InstanceType": "b"}, {"InstanceType": "a"}]
        found = of_parameters(action_of("sagemaker:CreateCluster"), {"InstanceGroups": groups})
        assert found["sagemaker:InstanceTypes"] == ("a", "b")

    def test_an_unknown_action_has_keys_of_tags_only(self) -> None:
        found = of_parameters(None, {"Name": "x", "Tags": {"k": "v"}})
        assert found == {"aws:RequestTag/k": "v", "aws:TagKeys": ("k",)}


def tag(key: str, value: str) -> dict[str, str]:
    return {"Key": key, "Value": value}


@pytest.mark.parametrize(
    ("parameters", "expected"),
    [
        ({"tags": {"a": 1}}, {"a": "1"}),
        ({"Tags": [tag("a", "1"), tag("b", "2")]}, {"a": "1", "b": "2"}),
        ({"Tags": [{"key": "a", "value": "1"}]}, {"a": "1"}),
        ({"Tags": [{"TagKey": "a", "TagValue": "1"}]}, {"a": "1"}),
        ({"TagList": [{"Key": "a"}]}, {"a": ""}),
        ({"TagSpecifications": [{"Tags": [tag("a", "1")]}, {}]}, {"a": "1"}),
        ({"Tags": None, "Name": "x"}, {}),
        ({"Tags": ["text"]}, {}),
    ],
)
def test_tags_in_each_services_form(parameters: dict[str, Any], expected: dict[str, str]) -> None:
    assert request_tags(parameters) == expected


def test_the_context_of_a_call_joins_all() -> None:
    context = context_of(
        USER, load_world("generous"), NOW, "us-east-1", None, {"ec2:Region": "us-east-1"}
    )
    assert context.get("AWS:PrincipalTag/Team") == ("red",)
    assert context.get("ec2:Region") == ("us-east-1",)
    assert context.get("aws:RequestedRegion") == ("us-east-1",)
