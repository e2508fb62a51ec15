"""The ARNs that a call is about, from its parameters."""

from __future__ import annotations

from typing import Any

import pytest

from clusterwright_localaws.iam.actions import action_of
from clusterwright_localaws.iam.resources import Place, leaves_of, plain, resources_of

PLACE = Place("aws", "us-east-1", "111122223333")
EC2 = "arn:aws:ec2:us-east-1:111122223333"


def found(action: str, parameters: dict[str, Any], **special: list[str]) -> list[str]:
    read = action_of(action)
    assert read is not None, action
    return resources_of(
        read,
        action.partition(":")[2],
        parameters,
        PLACE,
        lambda prefix, kind, parameters, place: special.get(kind.name),
    )


@pytest.mark.parametrize(
    ("action", "parameters", "expected"),
    [
        ("ec2:CreateVpc", {"CidrBlock": "10.0.0.0/16"}, [f"{EC2}:vpc/*"]),
        ("ec2:DeleteVpc", {"VpcId": "vpc-1"}, [f"{EC2}:vpc/vpc-1"]),
        (
            "ec2:TerminateInstances",
            {"InstanceIds": ["i-1", "i-2"]},
            [f"{EC2}:instance/i-1", f"{EC2}:instance/i-2"],
        ),
        ("ec2:DescribeVpcs", {"VpcIds": ["vpc-1"]}, ["*"]),
        (
            "rds:DeleteDBInstance",
            {"DBInstanceIdentifier": "d"},
            ["arn:aws:rds:us-east-1:111122223333:db:d"],
        ),
        (
            "ssm:GetParameter",
            {"Name": "/a/b"},
            ["arn:aws:ssm:us-east-1:111122223333:parameter/a/b"],
        ),
        (
            "eks:DeleteNodegroup",
            {"clusterName": "c", "nodegroupName": "n"},
            ["arn:aws:eks:us-east-1:111122223333:nodegroup/c/n/*"],
        ),
        (
            "eks:DescribeAddon",
            {"clusterName": "c", "addonName": "vpc-cni"},
            ["arn:aws:eks:us-east-1:111122223333:addon/c/vpc-cni/*"],
        ),
        (
            "eks:DeletePodIdentityAssociation",
            {"clusterName": "c", "associationId": "a-1"},
            ["arn:aws:eks:us-east-1:111122223333:podidentityassociation/c/a-1"],
        ),
        (
            "sns:Publish",
            {"TopicArn": "arn:aws:sns:us-east-1:444455556666:t", "Message": "x"},
            ["arn:aws:sns:us-east-1:444455556666:t"],
        ),
    ],
)
def test_what_a_call_is_about(
    action: str, parameters: dict[str, Any], expected: list[str]
) -> None:
    assert found(action, parameters) == expected


def test_what_the_state_knows_comes_before_names() -> None:
    arn = "arn:aws:iam::111122223333:role/path/r"
    assert found("iam:GetRole", {"RoleName": "r"}, role=[arn]) == [arn]
    assert found("iam:GetRole", {"RoleName": "r"}) == ["arn:aws:iam::111122223333:role/r"]


def test_a_simulation_is_about_its_source_and_not_about_the_simulated_resources() -> None:
    user = "arn:aws:iam::111122223333:user/ann"
    parameters = {"PolicySourceArn": user, "ResourceArns": ["arn:aws:iam::111122223333:role/r"]}
    assert found("iam:SimulatePrincipalPolicy", parameters) == [user]


def test_tags_are_no_names() -> None:
    parameters = {"a": [{"b": 1}, True], "Tags": [{"Key": "VpcId", "Value": "vpc-1"}], "c": "x"}
    assert list(leaves_of(parameters)) == [("b", "1"), ("a", "true"), ("c", "x")]


def test_names_are_compared_without_punctuation_and_case() -> None:
    assert plain("DB-Instance_Id") == plain("dbinstanceid") == "dbinstanceid"
