"""Users, groups and roles of moto, as the evaluation needs them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from clusterwright_localaws.core.errors import AwsError
from clusterwright_localaws.iam import entities
from packages.localaws.tests.iam.conftest import ACCOUNT, ADMIN, allow, document, role, user

pytestmark = pytest.mark.usefixtures("enforced")
IAM = f"arn:aws:iam::{ACCOUNT}"
TRUST = document({"Effect": "Allow", "Principal": {"AWS": ACCOUNT}, "Action": "sts:AssumeRole"})


def test_entities_are_found_by_their_arn() -> None:
    arn = role("r", Path="/a/")
    user("ann")
    ADMIN("iam").create_group(GroupName="g")
    assert entities.role_of(arn).name == "r"  # type: ignore[union-attr]
    assert entities.user_of(f"{IAM}:user/ann").name == "ann"  # type: ignore[union-attr]
    assert entities.group_of(f"{IAM}:group/g").name == "g"  # type: ignore[union-attr]


@pytest.mark.parametrize("arn", ["", f"{IAM}:role/none", f"{IAM}:user/none", "arn:aws:s3:::b"])
def test_what_is_not_there_is_none(arn: str) -> None:
    assert entities.role_of(arn) is None
    assert entities.user_of(arn) is None
    assert entities.group_of(arn) is None


def test_policies_of_a_user_are_its_own_and_those_of_its_groups() -> None:
    iam = ADMIN("iam")
    user("ann", allow("s3:*"))
    iam.create_group(GroupName="g")
    iam.put_group_policy(GroupName="g", PolicyName="of-g", PolicyDocument=document(allow("ec2:*")))
    made = iam.create_policy(PolicyName="managed", PolicyDocument=document(allow("fsx:*")))
    iam.attach_user_policy(UserName="ann", PolicyArn=made["Policy"]["Arn"])
    iam.attach_group_policy(GroupName="g", PolicyArn="arn:aws:iam::aws:policy/ReadOnlyAccess")
    iam.add_user_to_group(GroupName="g", UserName="ann")
    found = entities.user_policies(entities.user_of(f"{IAM}:user/ann"))
    assert [(policy.name, policy.kind) for policy in found] == [
        ("own", "user"),
        ("managed", "user-managed"),
        ("of-g", "group"),
        ("ReadOnlyAccess", "aws-managed"),
    ]


def test_the_default_version_is_effective() -> None:
    iam = ADMIN("iam")
    arn = iam.create_policy(PolicyName="p", PolicyDocument=document(allow("s3:*")))["Policy"][
        "Arn"
    ]
    iam.create_policy_version(
        PolicyArn=arn, PolicyDocument=document(allow("ec2:*")), SetAsDefault=True
    )
    policy = entities.managed_policy(arn, entities.role_of(role("r")))
    assert policy is not None
    assert policy.statements[0].actions == ("ec2:*",)


class TestBoundary:
    def role(self, **more: Any) -> Any:
        arn = ADMIN("iam").create_role(RoleName="r", AssumeRolePolicyDocument=TRUST, **more)[
            "Role"
        ]["Arn"]
        return entities.role_of(arn)

    def test_none(self) -> None:
        assert entities.boundary_of(self.role()) is None

    def test_one(self) -> None:
        arn = "arn:aws:iam::aws:policy/ReadOnlyAccess"
        (found,) = entities.boundary_of(self.role(PermissionsBoundary=arn)) or ()
        assert found.name == "ReadOnlyAccess"

    def test_a_deleted_one_allows_nothing(self) -> None:
        iam = ADMIN("iam")
        made = iam.create_policy(PolicyName="b", PolicyDocument=document(allow("s3:*")))
        found = self.role(PermissionsBoundary=made["Policy"]["Arn"])
        iam.delete_policy(PolicyArn=made["Policy"]["Arn"])
        assert entities.boundary_of(found) == ()


def test_tags_and_the_caller_that_a_user_is() -> None:
    user("ann")
    ADMIN("iam").tag_user(UserName="ann", Tags=[{"Key": "team", "Value": "red"}])
    found = entities.caller_of_user(entities.user_of(f"{IAM}:user/ann"))
    assert (found.kind, found.account, found.arn) == ("user", ACCOUNT, f"{IAM}:user/ann")
    assert found.tags == {"team": "red"}


def test_a_malformed_policy_that_moto_accepted_is_refused() -> None:
    role("r")
    found = entities.role_of(f"{IAM}:role/r")
    assert found is not None
    found.policies["broken"] = json.dumps({"Statement": [{"Effect": "Maybe"}]})
    with pytest.raises(AwsError, match=r"The policy broken: .*Effect must be Allow or Deny"):
        entities.policies_of(found, "role")
