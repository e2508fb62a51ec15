"""Roles, policies and instance profiles of a template."""

from __future__ import annotations

from typing import Any

import pytest

from clusterwright_localaws.services.iam.cfn import InstanceProfile, ManagedPolicy, Policy, Role
from packages.localaws.tests.handlers import allow, context, tags, trust
from packages.localaws.tests.parts import client, refusal

pytestmark = pytest.mark.usefixtures("local")

AWS = "arn:aws:iam::aws:policy/"
TRUST = trust("ec2.amazonaws.com")


def inline(name: str, *actions: str) -> dict[str, Any]:
    return {"PolicyName": name, "PolicyDocument": allow(*actions)}


def role(name: str, **more: Any) -> str:
    properties = {"RoleName": name, "AssumeRolePolicyDocument": TRUST, **more}
    return Role().create(context(), properties).physical_id


def inline_of(name: str) -> list[str]:
    return list(client("iam").list_role_policies(RoleName=name)["PolicyNames"])


def attached(name: str) -> list[str]:
    found = client("iam").list_attached_role_policies(RoleName=name)["AttachedPolicies"]
    return [policy["PolicyName"] for policy in found]


class TestRole:
    BEFORE: dict[str, Any] = {  # noqa: RUF012
        "AssumeRolePolicyDocument": TRUST,
        "ManagedPolicyArns": [f"{AWS}ReadOnlyAccess"],
        "PermissionsBoundary": f"{AWS}PowerUserAccess",
        "Policies": [inline("kept", "s3:*"), inline("gone", "ec2:*")],
        "Tags": tags(a="1"),
    }

    def test_created(self) -> None:
        created = Role().create(context(), self.BEFORE)
        name = created.physical_id
        found = client("iam").get_role(RoleName=name)["Role"]
        assert created.attributes == {"Arn": found["Arn"], "RoleId": found["RoleId"]}
        assert found["PermissionsBoundary"]["PermissionsBoundaryArn"].endswith("PowerUserAccess")
        assert attached(name) == ["ReadOnlyAccess"]
        assert sorted(inline_of(name)) == ["gone", "kept"]

    def test_changed(self) -> None:
        iam = client("iam")
        name = Role().create(context(), self.BEFORE).physical_id
        after = {
            "AssumeRolePolicyDocument": trust("lambda.amazonaws.com"),
            "Description": "d",
            "MaxSessionDuration": 7200,
            "ManagedPolicyArns": [f"{AWS}AmazonS3ReadOnlyAccess"],
            "Policies": [inline("kept", "s3:Get*")],
            "Tags": tags(b="2"),
        }
        Role().update(context(), name, self.BEFORE, after)
        found = iam.get_role(RoleName=name)["Role"]
        statement = found["AssumeRolePolicyDocument"]["Statement"][0]
        assert statement["Principal"] == {"Service": "lambda.amazonaws.com"}
        assert (found["Description"], found["MaxSessionDuration"]) == ("d", 7200)
        assert "PermissionsBoundary" not in found
        assert attached(name) == ["AmazonS3ReadOnlyAccess"]
        assert inline_of(name) == ["kept"]
        kept = iam.get_role_policy(RoleName=name, PolicyName="kept")["PolicyDocument"]
        assert kept["Statement"][0]["Action"] == ["s3:Get*"]
        assert found["Tags"] == tags(b="2")

    def test_deleted_with_its_policies(self) -> None:
        name = Role().create(context(), self.BEFORE).physical_id
        Role().delete(context(), name, self.BEFORE)
        assert refusal(client("iam").get_role, RoleName=name)[0] == "NoSuchEntity"


class TestPolicy:
    def test_it_moves_with_its_holders(self) -> None:
        role("a")
        role("b")
        before = {**inline("p", "s3:*"), "Roles": ["a"]}
        created = Policy().create(context(), before)
        assert inline_of("a") == ["p"]
        after = {**inline("q", "s3:*"), "Roles": ["a", "b"]}
        Policy().update(context(), created.physical_id, before, after)
        assert (inline_of("a"), inline_of("b")) == (["q"], ["q"])
        Policy().delete(context(), created.physical_id, after)
        assert (inline_of("a"), inline_of("b")) == ([], [])

    def test_a_holder_that_is_gone_is_no_error(self) -> None:
        properties = {**inline("p", "s3:*"), "Roles": ["gone"]}
        Policy().delete(context(), "p", properties)


class TestManagedPolicy:
    def properties(self, *actions: str, roles: tuple[str, ...] = ()) -> dict[str, Any]:
        return {"PolicyDocument": allow(*actions), "Roles": list(roles)}

    def test_a_new_document_is_a_new_version_of_at_most_five(self) -> None:
        iam = client("iam")
        role("a")
        old = self.properties("s3:0", roles=("a",))
        created = ManagedPolicy().create(context(), old)
        arn = created.physical_id
        assert created.attributes["DefaultVersionId"] == "v1"
        assert attached("a") == [arn.rsplit("/", 1)[-1]]
        for number in range(1, 7):
            new = self.properties(f"s3:{number}")
            found = ManagedPolicy().update(context(), arn, old, new)
            old = new
        assert found.attributes["DefaultVersionId"] == "v7"
        assert len(iam.list_policy_versions(PolicyArn=arn)["Versions"]) == 5
        assert attached("a") == []
        ManagedPolicy().delete(context(), arn, old)
        assert refusal(iam.get_policy, PolicyArn=arn)[0] == "NoSuchEntity"


def test_an_instance_profile_holds_its_role() -> None:
    iam = client("iam")
    role("a")
    role("b")

    def roles() -> list[str]:
        found = iam.get_instance_profile(InstanceProfileName=name)["InstanceProfile"]["Roles"]
        return [each["RoleName"] for each in found]

    created = InstanceProfile().create(context(), {"Roles": ["a"], "Path": "/p/"})
    name = created.physical_id
    assert created.attributes["Arn"].endswith(f":instance-profile/p/{name}")
    assert roles() == ["a"]
    InstanceProfile().update(context(), name, {"Roles": ["a"]}, {"Roles": ["b"]})
    assert roles() == ["b"]
    InstanceProfile().delete(context(), name, {"Roles": ["b"]})
    assert iam.list_instance_profiles()["InstanceProfiles"] == []
