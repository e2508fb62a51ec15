"""Capabilities of EKS: by the API and in templates."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from botocore.exceptions import ClientError

from clusterwright_localaws import local_aws
from packages.localaws.tests.eks_parts import EksSite, build_eks_site
from packages.localaws.tests.parts import client

IDENTITY_CENTER = "arn:aws:sso:::instance/ssoins-1234567890abcdef"
GROUP = {"id": "3f3c7f5e-0000-4000-8000-3f3c7f5e0001", "type": "SSO_GROUP"}
ARGOCD = {"argoCd": {"awsIdc": {"idcInstanceArn": IDENTITY_CENTER}}}


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


def asked(role: str, **more: Any) -> dict[str, Any]:
    return {
        "clusterName": "eks",
        "capabilityName": "argocd",
        "type": "ARGOCD",
        "roleArn": role,
        "deletePropagationPolicy": "RETAIN",
        "configuration": ARGOCD,
        **more,
    }


def described(name: str = "argocd") -> dict[str, Any]:
    found: dict[str, Any] = client("eks").describe_capability(
        clusterName="eks", capabilityName=name
    )["capability"]
    return found


def test_capability_is_created_listed_updated_and_deleted(role: str) -> None:
    eks = client("eks")
    made = eks.create_capability(**asked(role, tags={"team": "a"}))["capability"]
    assert made["status"] == "CREATING"
    assert described()["status"] == "ACTIVE"
    assert eks.list_tags_for_resource(resourceArn=made["arn"])["tags"] == {"team": "a"}
    listed = eks.list_capabilities(clusterName="eks")["capabilities"]
    assert [(item["capabilityName"], item["type"]) for item in listed] == [("argocd", "ARGOCD")]
    # The role has access to Kubernetes, without permissions there.
    entry = eks.describe_access_entry(clusterName="eks", principalArn=role)["accessEntry"]
    assert entry["kubernetesGroups"] == []
    policies = eks.list_associated_access_policies(clusterName="eks", principalArn=role)
    assert policies["associatedAccessPolicies"] == []
    mapping = {"role": "ADMIN", "identities": [GROUP]}
    told = {"argoCd": {"rbacRoleMappings": {"addOrUpdateRoleMappings": [mapping]}}}
    update = eks.update_capability(clusterName="eks", capabilityName="argocd", configuration=told)[
        "update"
    ]
    assert update["type"] == "CapabilityUpdate"
    assert described()["configuration"]["argoCd"]["rbacRoleMappings"] == [mapping]
    told = {"argoCd": {"rbacRoleMappings": {"removeRoleMappings": [mapping]}}}
    eks.update_capability(clusterName="eks", capabilityName="argocd", configuration=told)
    assert described()["configuration"]["argoCd"]["rbacRoleMappings"] == []
    eks.delete_capability(clusterName="eks", capabilityName="argocd")
    assert eks.list_capabilities(clusterName="eks")["capabilities"] == []


@pytest.mark.parametrize(
    ("more", "code"),
    [
        ({"roleArn": "arn:aws:iam::123456789012:role/none"}, "InvalidParameterException"),
        ({"configuration": {}}, "InvalidParameterException"),
        ({"type": "KRO"}, "InvalidParameterException"),
        ({"type": "ACK", "configuration": ARGOCD}, "InvalidParameterException"),
        ({"clusterName": "other"}, "ResourceNotFoundException"),
    ],
)
def test_what_is_refused(role: str, more: dict[str, Any], code: str) -> None:
    with pytest.raises(ClientError) as raised:
        client("eks").create_capability(**asked(role, **more))
    assert raised.value.response["Error"]["Code"] == code


def test_role_without_trust_for_capabilities_is_refused(site: EksSite, role: str) -> None:
    with pytest.raises(ClientError, match=r"capabilities\.eks\.amazonaws\.com"):
        client("eks").create_capability(**asked(site.pod_role))


def test_capability_name_is_unique_and_token_idempotent(role: str) -> None:
    eks = client("eks")
    first = eks.create_capability(**asked(role, clientRequestToken="once"))["capability"]
    assert eks.create_capability(**asked(role, clientRequestToken="once"))["capability"] == first
    with pytest.raises(ClientError) as raised:
        eks.create_capability(**asked(role))
    assert raised.value.response["Error"]["Code"] == "ResourceInUseException"
