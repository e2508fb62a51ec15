"""Tests of services.iam.protected_roles."""

from __future__ import annotations

import json
from typing import Any

import pytest

from clusterwright_localaws.services.iam.protected_roles import CHANGES
from packages.localaws.tests.parts import client, refusal

pytestmark = pytest.mark.usefixtures("aws")
NAME = "AWSServiceRoleForAmazonEKS"
PROTECTED = (
    "UnmodifiableEntity",
    f"Cannot perform the operation on the protected role '{NAME}' - this role is only modifiable "
    "by AWS",
)
MANAGED = "arn:aws:iam::aws:policy/ReadOnlyAccess"
READ = {"Effect": "Allow", "Action": "s3:GetObject", "Resource": "*"}
POLICY = json.dumps({"Version": "2012-10-17", "Statement": READ})
TRUST = {
    "Effect": "Allow",
    "Principal": {"Service": "ec2.amazonaws.com"},
    "Action": "sts:AssumeRole",
}


@pytest.mark.parametrize(
    ("name", "more"),
    [
        ("attach_role_policy", {"PolicyArn": MANAGED}),
        ("detach_role_policy", {"PolicyArn": MANAGED}),
        ("put_role_policy", {"PolicyName": "p", "PolicyDocument": POLICY}),
        ("put_role_permissions_boundary", {"PermissionsBoundary": MANAGED}),
        ("update_role", {"MaxSessionDuration": 7200}),
        ("delete_role", {}),
        (
            "update_assume_role_policy",
            {"PolicyDocument": json.dumps({"Version": "2012-10-17", "Statement": TRUST})},
        ),
    ],
)
def test_a_service_linked_role_is_not_changed(name: str, more: dict[str, Any]) -> None:
    iam = client("iam")
    iam.create_service_linked_role(AWSServiceName="eks.amazonaws.com")
    assert refusal(getattr(iam, name), RoleName=NAME, **more) == PROTECTED


def test_a_service_linked_role_is_described_tagged_and_deleted() -> None:
    iam = client("iam")
    iam.create_service_linked_role(AWSServiceName="eks.amazonaws.com")
    iam.update_role(RoleName=NAME, Description="mine")
    assert iam.get_role(RoleName=NAME)["Role"]["Description"] == "mine"
    iam.delete_service_linked_role(RoleName=NAME)
    assert refusal(iam.get_role, RoleName=NAME)[0] == "NoSuchEntity"


def test_the_operations_are_those_of_the_model() -> None:
    model = client("iam").meta.service_model
    named = {
        name
        for name in model.operation_names
        if any("Unmodifiable" in one.name for one in model.operation_model(name).error_shapes)
    }
    others = {"PutRolePermissionsBoundary", "UpdateRoleDescription"}
    assert {name for name in named - others if "Role" in name} == set(CHANGES)
