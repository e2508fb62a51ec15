"""Tests of services.iam.fixes.names."""

from __future__ import annotations

import json

import pytest

from packages.localaws.tests.parts import client, refusal

pytestmark = pytest.mark.usefixtures("aws")
EXISTS = "EntityAlreadyExists"
TRUST = {
    "Effect": "Allow",
    "Principal": {"Service": "ec2.amazonaws.com"},
    "Action": "sts:AssumeRole",
}
READ = {"Effect": "Allow", "Action": "s3:GetObject", "Resource": "*"}


def test_names_that_differ_in_case_only() -> None:
    iam = client("iam")
    trust = json.dumps({"Version": "2012-10-17", "Statement": TRUST})
    policy = json.dumps({"Version": "2012-10-17", "Statement": READ})
    for make, name, more, text in (
        (iam.create_user, "UserName", {}, "User with name ONE already exists."),
        (iam.create_group, "GroupName", {}, "Group with name ONE already exists."),
        (
            iam.create_role,
            "RoleName",
            {"AssumeRolePolicyDocument": trust},
            "Role with name ONE already exists.",
        ),
        (
            iam.create_instance_profile,
            "InstanceProfileName",
            {},
            "Instance Profile ONE already exists.",
        ),
        (
            iam.create_policy,
            "PolicyName",
            {"PolicyDocument": policy},
            "A policy called ONE already exists. Duplicate names are not allowed.",
        ),
    ):
        make(**{name: "one"}, **more)
        assert refusal(make, **{name: "ONE"}, **more) == (EXISTS, text)


def test_a_policy_may_have_the_name_of_one_of_aws() -> None:
    document = json.dumps({"Version": "2012-10-17", "Statement": READ})
    made = client("iam").create_policy(PolicyName="readonlyaccess", PolicyDocument=document)
    assert made["Policy"]["PolicyName"] == "readonlyaccess"


def test_a_new_name_of_a_user_or_a_group() -> None:
    iam = client("iam")
    for name in ("one", "two"):
        iam.create_user(UserName=name)
        iam.create_group(GroupName=name)
    assert refusal(iam.update_user, UserName="one", NewUserName="TWO")[0] == EXISTS
    assert refusal(iam.update_group, GroupName="one", NewGroupName="TWO")[0] == EXISTS
    iam.update_user(UserName="one", NewUserName="One")
    iam.update_group(GroupName="one", NewGroupName="One")
    assert iam.get_user(UserName="One")["User"]["UserName"] == "One"
