"""Tests of services.iam.fixes.unique_ids."""

from __future__ import annotations

import json

import pytest

from packages.localaws.tests.parts import client

STATEMENT = {"Effect": "Allow", "Action": "s3:ListAllMyBuckets", "Resource": "*"}
TEXT = json.dumps({"Version": "2012-10-17", "Statement": STATEMENT})


@pytest.mark.usefixtures("aws")
def test_ids_have_the_prefix_of_their_kind() -> None:
    iam = client("iam")
    profile = iam.create_instance_profile(InstanceProfileName="p")["InstanceProfile"]
    ids = {
        "AIDA": iam.create_user(UserName="u")["User"]["UserId"],
        "AGPA": iam.create_group(GroupName="g")["Group"]["GroupId"],
        "AIPA": profile["InstanceProfileId"],
        "ANPA": iam.create_policy(PolicyName="x", PolicyDocument=TEXT)["Policy"]["PolicyId"],
    }
    for prefix, found in ids.items():
        assert found.startswith(prefix)
        assert len(found) == 21
    assert iam.get_user(UserName="u")["User"]["UserId"] == ids["AIDA"]
