"""Tests of services.eks.cfn_capabilities."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from botocore.exceptions import ClientError

from clusterwright_localaws import local_aws
from packages.localaws.tests.eks_parts import EksSite, build_eks_site
from packages.localaws.tests.parts import client, deploy, destroy, physical_id

IDENTITY_CENTER = "arn:aws:sso:::instance/ssoins-1234567890abcdef"


GROUP = {"id": "3f3c7f5e-0000-4000-8000-3f3c7f5e0001", "type": "SSO_GROUP"}


@pytest.fixture
def site() -> Iterator[EksSite]:
    with local_aws():
        site = build_eks_site()
        site.create()
        yield site


@pytest.fixture
def role(site: EksSite) -> str:
    trust = {
        "Version": "2012-10-17",
        "Statement": [
            {
                "Effect": "Allow",
                "Principal": {"Service": "capabilities.eks.amazonaws.com"},
                "Action": ["sts:AssumeRole", "sts:TagSession"],
            }
        ],
    }
    made = client("iam").create_role(
        RoleName="capability", AssumeRolePolicyDocument=json.dumps(trust)
    )
    return str(made["Role"]["Arn"])


def described(name: str = "argocd") -> dict[str, Any]:
    found: dict[str, Any] = client("eks").describe_capability(
        clusterName="eks", capabilityName=name
    )["capability"]
    return found


def resources(role: str, **more: Any) -> dict[str, Any]:
    properties = {
        "ClusterName": "eks",
        "CapabilityName": "argocd",
        "Type": "ARGOCD",
        "RoleArn": role,
        "DeletePropagationPolicy": "RETAIN",
        "Configuration": {"ArgoCd": {"AwsIdc": {"IdcInstanceArn": IDENTITY_CENTER}}},
        **more,
    }
    return {"Delivery": {"Type": "AWS::EKS::Capability", "Properties": properties}}


def test_stack_creates_updates_and_deletes_a_capability(role: str) -> None:
    assert deploy("delivery", resources(role))["StackStatus"] == "CREATE_COMPLETE"
    assert physical_id("delivery", "Delivery") == described()["arn"]
    mapping = {"Role": "ADMIN", "Identities": [{"Id": GROUP["id"], "Type": "SSO_GROUP"}]}
    configuration = {
        "ArgoCd": {"AwsIdc": {"IdcInstanceArn": IDENTITY_CENTER}, "RbacRoleMappings": [mapping]}
    }
    changed = resources(role, Configuration=configuration, Tags=[{"Key": "a", "Value": "b"}])
    assert deploy("delivery", changed)["StackStatus"] == "UPDATE_COMPLETE"
    assert described()["configuration"]["argoCd"]["rbacRoleMappings"][0]["role"] == "ADMIN"
    assert described()["tags"]["a"] == "b"
    assert deploy("delivery", resources(role))["StackStatus"] == "UPDATE_COMPLETE"
    assert described()["configuration"]["argoCd"]["rbacRoleMappings"] == []
    assert "a" not in described()["tags"]
    destroy("delivery")
    with pytest.raises(ClientError):
        described()


def test_what_the_api_refuses_the_stack_refuses(site: EksSite) -> None:
    deployed = deploy("delivery", resources(site.pod_role))
    assert deployed["StackStatus"] == "ROLLBACK_COMPLETE"
