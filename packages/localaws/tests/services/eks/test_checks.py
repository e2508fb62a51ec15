"""Checks of roles, networks and keys before EKS accepts a request."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any

import pytest

from clusterwright_localaws.core.call import Call
from clusterwright_localaws.core.errors import AwsError
from clusterwright_localaws.core.runtime import Runtime
from clusterwright_localaws.iam import entities
from clusterwright_localaws.services.eks import checks
from clusterwright_localaws.services.eks.state import Store, store_in
from packages.localaws.tests.eks_parts import EksSite, build_eks_site
from packages.localaws.tests.parts import client


@pytest.fixture
def eks_site(aws: Runtime) -> EksSite:
    return build_eks_site()


def call(aws: Runtime) -> Call:
    return Call("eks", "CreateCluster", aws.world.account, "us-east-1", aws)


def store(aws: Runtime) -> Store:
    return store_in(aws, aws.world.account, "us-east-1")


def statement(**more: Any) -> dict[str, Any]:
    return {
        "Effect": "Allow",
        "Principal": {"Service": "eks.amazonaws.com"},
        "Action": "sts:AssumeRole",
        **more,
    }


@pytest.mark.parametrize(
    ("statements", "expected"),
    [
        (statement(), True),
        ([statement(Effect="Deny")], False),
        ([statement(Action=["sts:TagSession", "sts:*"])], True),
        ([statement(Action="sts:TagSession")], False),
        ([statement(Principal={"Service": ["ec2.amazonaws.com"]})], False),
        ([statement(Principal="*")], True),
        ([statement(Principal={"AWS": "111122223333"})], False),
        ([], False),
    ],
)
def test_trust_policies(statements: Any, expected: bool) -> None:
    document = {"Version": "2012-10-17", "Statement": statements}
    for text in (document, json.dumps(document)):
        role = SimpleNamespace(assume_role_policy_document=text)
        assert checks.trusts(role, "eks.amazonaws.com") is expected


def test_a_role_must_exist_and_trust_the_service(aws: Runtime, eks_site: EksSite) -> None:
    checks.require_role(eks_site.cluster_role, "eks.amazonaws.com", "no")
    assert entities.role_of("arn:aws:iam::x:user/a") is None
    for arn in (eks_site.node_role, f"{eks_site.cluster_role}x"):
        with pytest.raises(AwsError, match=r"^no$") as caught:
            checks.require_role(arn, "eks.amazonaws.com", "no")
        assert caught.value.code == "InvalidParameterException"


def test_users(aws: Runtime) -> None:
    arn = client("iam").create_user(UserName="ann")["User"]["Arn"]
    assert entities.user_of(arn) is not None
    assert entities.user_of(f"{arn}x") is None


class TestNetwork:
    def check(self, aws: Runtime, subnets: list[str], *groups: str) -> str:
        with pytest.raises(AwsError) as caught:
            checks.check_cluster_network(store(aws), subnets, groups)
        assert caught.value.code == "InvalidParameterException"
        return caught.value.message

    def test_two_zones_of_one_vpc(self, aws: Runtime, eks_site: EksSite) -> None:
        subnets = list(eks_site.subnet_ids)
        found = checks.check_cluster_network(store(aws), subnets, [eks_site.site.group_id])
        assert [subnet.id for subnet in found] == subnets

    def test_what_is_refused(self, aws: Runtime, eks_site: EksSite) -> None:
        first, second = eks_site.subnet_ids
        ec2 = client("ec2")
        other = ec2.create_vpc(CidrBlock="10.9.0.0/16")["Vpc"]["VpcId"]
        foreign = ec2.create_subnet(VpcId=other, CidrBlock="10.9.0.0/24")["Subnet"]["SubnetId"]
        group = ec2.create_security_group(GroupName="x", Description="x", VpcId=other)["GroupId"]
        assert self.check(aws, []) == "subnetIds must have at least two subnets"
        assert self.check(aws, ["subnet-0"]) == "The subnet ID 'subnet-0' does not exist"
        assert self.check(aws, [first, foreign]) == "Subnets must be in the same VPC"
        assert "at least two different AZs" in self.check(aws, [first])
        assert (
            self.check(aws, [first, second], "sg-0") == "The security group 'sg-0' does not exist"
        )
        assert self.check(aws, [first, second], group) == (
            f"Security group {group} is not in the VPC of the subnets, {eks_site.site.vpc_id}"
        )

    def test_each_subnet_needs_free_addresses(self, aws: Runtime, eks_site: EksSite) -> None:
        small = client("ec2").create_subnet(
            VpcId=eks_site.site.vpc_id, CidrBlock="10.0.128.0/28", AvailabilityZone="us-east-1c"
        )["Subnet"]["SubnetId"]
        for _ in range(6):
            client("ec2").create_network_interface(SubnetId=small)
        message = self.check(aws, [eks_site.subnet_ids[0], small])
        assert message.startswith(f"Subnet {small} has 5 free IP addresses")


class TestKey:
    def test_a_symmetric_key_is_accepted(self, aws: Runtime) -> None:
        checks.check_key(call(aws), client("kms").create_key()["KeyMetadata"]["Arn"])

    def test_what_is_refused(self, aws: Runtime) -> None:
        kms = client("kms")
        signing = kms.create_key(KeySpec="RSA_2048", KeyUsage="SIGN_VERIFY")["KeyMetadata"]["Arn"]
        disabled = kms.create_key()["KeyMetadata"]["Arn"]
        kms.disable_key(KeyId=disabled)
        for arn, message in (
            ("arn:aws:kms:us-west-2:1:key/k", "is not a KMS key of region us-east-1"),
            ("alias/a", "is not a KMS key of region us-east-1"),
            (f"{disabled[:-4]}0000", "does not exist"),
            (signing, "must be enabled and symmetric"),
            (disabled, "must be enabled and symmetric"),
        ):
            with pytest.raises(AwsError, match=message):
                checks.check_key(call(aws), arn)


def test_a_quota_is_refused_in_the_shape_of_eks() -> None:
    found = checks.limited(AwsError("Other", "too many", 429))
    assert (found.code, found.message, found.status) == (
        "ResourceLimitExceededException",
        "too many",
        400,
    )
