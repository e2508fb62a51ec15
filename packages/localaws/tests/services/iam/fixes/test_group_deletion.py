"""Tests of services.iam.fixes.group_deletion."""

from __future__ import annotations

import pytest

from packages.localaws.tests.parts import client, refusal

MANAGED = "arn:aws:iam::aws:policy/AmazonSQSFullAccess"


@pytest.mark.usefixtures("aws")
def test_a_group_is_deleted_when_nothing_is_left_in_it() -> None:
    iam = client("iam")
    iam.create_group(GroupName="g")
    iam.create_user(UserName="u")
    iam.add_user_to_group(GroupName="g", UserName="u")
    iam.attach_group_policy(GroupName="g", PolicyArn=MANAGED)
    assert "users" in refusal(iam.delete_group, GroupName="g")[1]
    iam.remove_user_from_group(GroupName="g", UserName="u")
    assert refusal(iam.delete_group, GroupName="g") == (
        "DeleteConflict",
        "Cannot delete entity, must detach all policies first.",
    )
    iam.detach_group_policy(GroupName="g", PolicyArn=MANAGED)
    iam.delete_group(GroupName="g")
    assert refusal(iam.get_group, GroupName="g")[0] == "NoSuchEntity"
