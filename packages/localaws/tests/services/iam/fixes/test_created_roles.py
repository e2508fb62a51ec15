"""Tests of services.iam.fixes.created_roles."""

from __future__ import annotations

import pytest

from packages.localaws.tests.parts import client

TRUST = (
    '{"Version": "2012-10-17", "Statement": {"Effect": "Allow", "Action": "sts:AssumeRole", '
    '"Principal": {"Service": "ec2.amazonaws.com"}}}'
)


@pytest.mark.usefixtures("aws")
def test_members_of_a_role() -> None:
    iam = client("iam")
    made = iam.create_role(RoleName="r", AssumeRolePolicyDocument=TRUST)["Role"]
    assert not {"MaxSessionDuration", "RoleLastUsed"} & made.keys()
    found = iam.get_role(RoleName="r")["Role"]
    assert (found["MaxSessionDuration"], found["RoleLastUsed"]) == (3600, {})
    linked = iam.create_service_linked_role(AWSServiceName="eks.amazonaws.com")["Role"]
    assert "MaxSessionDuration" not in linked
