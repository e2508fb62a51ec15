"""Tests of services.iam.fixes.boundaries."""

from __future__ import annotations

from packages.localaws.tests.iam.conftest import ACCOUNT, ADMIN, document

READ_ONLY = "arn:aws:iam::aws:policy/ReadOnlyAccess"


def boundary(name: str) -> object:
    return ADMIN("iam").get_user(UserName=name)["User"].get("PermissionsBoundary")


def test_a_user_has_the_boundary_of_its_creation(local: None) -> None:
    iam = ADMIN("iam")
    expected = {"PermissionsBoundaryArn": READ_ONLY, "PermissionsBoundaryType": "Policy"}
    made = iam.create_user(UserName="ann", PermissionsBoundary=READ_ONLY)["User"]
    assert made["PermissionsBoundary"] == expected
    assert boundary("ann") == expected
    assert "PermissionsBoundary" not in iam.list_users()["Users"][0]
    iam.delete_user_permissions_boundary(UserName="ann")
    assert boundary("ann") is None
    iam.put_user_permissions_boundary(UserName="ann", PermissionsBoundary=READ_ONLY)
    assert boundary("ann") == expected


def test_a_role_has_the_same_type_of_boundary(local: None) -> None:
    trust = document(
        {"Effect": "Allow", "Principal": {"AWS": ACCOUNT}, "Action": "sts:AssumeRole"}
    )
    iam = ADMIN("iam")
    iam.create_role(RoleName="r", AssumeRolePolicyDocument=trust, PermissionsBoundary=READ_ONLY)
    found = iam.get_role(RoleName="r")["Role"]["PermissionsBoundary"]
    assert found == {"PermissionsBoundaryArn": READ_ONLY, "PermissionsBoundaryType": "Policy"}


def test_profiles_show_the_boundaries_of_their_roles(local: None) -> None:
    trust = document(
        {"Effect": "Allow", "Principal": {"AWS": ACCOUNT}, "Action": "sts:AssumeRole"}
    )
    iam = ADMIN("iam")
    iam.create_role(RoleName="r", AssumeRolePolicyDocument=trust, PermissionsBoundary=READ_ONLY)
    iam.create_instance_profile(InstanceProfileName="p")
    iam.add_role_to_instance_profile(InstanceProfileName="p", RoleName="r")
    for found in (
        iam.get_instance_profile(InstanceProfileName="p")["InstanceProfile"],
        *iam.list_instance_profiles()["InstanceProfiles"],
        *iam.list_instance_profiles_for_role(RoleName="r")["InstanceProfiles"],
    ):
        assert [one["RoleName"] for one in found["Roles"]] == ["r"]
    iam.get_account_authorization_details(Filter=["User", "Role"])
