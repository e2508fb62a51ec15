"""Tests of services.iam.fixes.user_deletion."""

from __future__ import annotations

import pytest

from packages.localaws.tests.parts import client, refusal


@pytest.mark.usefixtures("aws")
def test_a_user_is_deleted_when_nothing_is_left_of_it() -> None:
    iam = client("iam")
    iam.create_user(UserName="u")
    iam.create_group(GroupName="g")
    iam.add_user_to_group(GroupName="g", UserName="u")
    iam.create_login_profile(UserName="u", Password="a-Password-1")
    key = iam.create_access_key(UserName="u")["AccessKey"]["AccessKeyId"]

    def left() -> tuple[str, str]:
        return refusal(iam.delete_user, UserName="u")

    assert left() == (
        "DeleteConflict",
        "Cannot delete entity, must delete login profile first.",
    )
    iam.delete_login_profile(UserName="u")
    assert left()[1] == "Cannot delete entity, must delete access keys first."
    iam.delete_access_key(UserName="u", AccessKeyId=key)
    assert left()[1] == "Cannot delete entity, must remove referenced objects first."
    iam.remove_user_from_group(GroupName="g", UserName="u")
    iam.delete_user(UserName="u")
    assert refusal(iam.get_user, UserName="u")[0] == "NoSuchEntity"
