"""The organisation's tag policy: DescribeEffectivePolicy, and refusals of EC2."""

from __future__ import annotations

import json
from typing import Any

import pytest
from botocore.exceptions import ClientError

from clusterwright.aws.errors import AwsUnavailable
from clusterwright.aws.organizations import TagKeyPolicy, effective_tag_policy
from clusterwright.aws.session import AwsSession
from clusterwright_localaws import local_aws
from clusterwright_localaws.worlds.model import World
from packages.localaws.tests.parts import client

OWNER = {
    "tag_key": "Owner",
    "tag_value": ["ml", "team-*@acme"],
    "enforced_for": ["ec2:vpc", "ec2:natgateway"],
}
POLICY: dict[str, Any] = {"organization": {"tag_policy": {"tags": {"owner": OWNER}}}}
KIND = {"PolicyType": "TAG_POLICY"}


def ours() -> Any:
    return effective_tag_policy(AwsSession("us-east-1"))


def refused(call: Any, **parameters: Any) -> str:
    with pytest.raises(ClientError) as raised:
        call(**parameters)
    return str(raised.value.response["Error"]["Code"])


def tagged(kind: str, key: str, value: str) -> list[dict[str, Any]]:
    return [{"ResourceType": kind, "Tags": [{"Key": key, "Value": value}]}]


def test_effective_policy_is_that_of_the_world() -> None:
    with local_aws("generous", **POLICY):
        answer = client("organizations").describe_effective_policy(**KIND)["EffectivePolicy"]
        assert json.loads(answer["PolicyContent"]) == {"tags": {"owner": OWNER}}
        assert answer["PolicyType"] == "TAG_POLICY"
        assert ours() == (
            TagKeyPolicy("Owner", ("ml", "team-*@acme"), ("ec2:vpc", "ec2:natgateway")),
        )


def test_account_without_organization_or_policy_has_none() -> None:
    with local_aws("generous"):
        call = client("organizations").describe_effective_policy
        assert refused(call, **KIND) == "AWSOrganizationsNotInUseException"
        assert ours() is None
    with local_aws("generous", organization={}):
        call = client("organizations").describe_effective_policy
        assert refused(call, **KIND) == "EffectivePolicyNotFoundException"
        assert ours() is None


def test_only_the_management_account_reads_other_accounts() -> None:
    manager, other = "111122223333", "444455556666"
    organization = {**POLICY["organization"], "management_account": manager}
    with local_aws("generous", account=manager, organization=organization):
        call = client("organizations").describe_effective_policy
        assert call(**KIND, TargetId=other)["EffectivePolicy"]["TargetId"] == other
        missing = refused(call, PolicyType="BACKUP_POLICY")
        assert missing == "EffectivePolicyNotFoundException"
    with local_aws("generous", **POLICY):
        call = client("organizations").describe_effective_policy
        assert refused(call, **KIND, TargetId=other) == "AccessDeniedException"


def test_denied_call_names_the_action() -> None:
    fault = {"service": "organizations", "operation": "*", "error": "AccessDeniedException"}
    with local_aws("generous", faults=[fault]), pytest.raises(AwsUnavailable) as raised:
        ours()
    assert raised.value.reason == "denied"
    assert raised.value.iam_action == "organizations:DescribeEffectivePolicy"


def test_ec2_refuses_tags_that_violate_an_enforced_policy() -> None:
    with local_aws("generous", **POLICY):
        ec2 = client("ec2")
        new = {"CidrBlock": "10.0.0.0/16"}
        for key, value in (("Owner", "sales"), ("owner", "ml"), ("Owner", "team-@acm")):
            made = {**new, "TagSpecifications": tagged("vpc", key, value)}
            assert refused(ec2.create_vpc, **made) == "TagPolicyViolation"
        for value in ("ml", "team-1@acme", "team-@acme"):
            ec2.create_vpc(**new, TagSpecifications=tagged("vpc", "Owner", value))
        vpc = ec2.create_vpc(**new)["Vpc"]["VpcId"]
        subnet = ec2.create_subnet(VpcId=vpc, CidrBlock="10.0.0.0/24")["Subnet"]["SubnetId"]
        wrong = [{"Key": "Owner", "Value": "sales"}]
        assert refused(ec2.create_tags, Resources=[vpc], Tags=wrong) == "TagPolicyViolation"
        # Types without enforcement, and other keys, are not checked.
        ec2.create_tags(Resources=[subnet], Tags=wrong)
        ec2.create_tags(Resources=[vpc], Tags=[{"Key": "Team", "Value": "sales"}])
        gateway = {"Resources": ["nat-0123456789abcdef0"], "Tags": wrong}
        assert refused(ec2.create_tags, **gateway) == "TagPolicyViolation"


@pytest.mark.parametrize("everything", ["ec2:ALL_SUPPORTED", "ec2:*"])
def test_enforced_service_covers_all_of_its_types(everything: str) -> None:
    rule = {"tag_value": [], "enforced_for": [everything]}
    organization = {"tag_policy": {"tags": {"Colour": rule}}}
    with local_aws("generous", organization=organization):
        ec2 = client("ec2")
        made = {"CidrBlock": "10.0.0.0/16", "TagSpecifications": tagged("vpc", "colour", "red")}
        assert refused(ec2.create_vpc, **made) == "TagPolicyViolation"


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        ({"tag_key": "Other"}, "differs from the key"),
        ({"tag_value": ["*a*"]}, "more than one"),
        ({"tag_value": "ml"}, "list"),
        ({"values": []}, "Extra"),
    ],
)
def test_world_with_an_invalid_policy_is_refused(rule: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        World.model_validate({"organization": {"tag_policy": {"tags": {"owner": rule}}}})
