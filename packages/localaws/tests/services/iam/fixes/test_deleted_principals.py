"""Tests of services.iam.fixes.deleted_principals."""

from __future__ import annotations

import json

import pytest

from packages.localaws.tests.parts import client


@pytest.mark.usefixtures("aws")
def test_a_deleted_user_is_named_by_its_id() -> None:
    iam = client("iam")
    user = iam.create_user(UserName="u")["User"]
    statement = {
        "Effect": "Allow",
        "Principal": {"AWS": user["Arn"]},
        "Action": "sts:AssumeRole",
    }
    document = json.dumps({"Version": "2012-10-17", "Statement": statement})
    iam.create_role(RoleName="r", AssumeRolePolicyDocument=document)
    iam.delete_user(UserName="u")
    kept = iam.get_role(RoleName="r")["Role"]["AssumeRolePolicyDocument"]
    assert kept["Statement"]["Principal"] == {"AWS": user["UserId"]}
