"""Capabilities of EKS: one of each requested kind, with a role without permissions."""

from __future__ import annotations

from tests.platforms.kubernetes.specs import EKS
from tests.support.rich_specs import changed
from tests.support.synthesis import Build

ALL = changed(
    EKS,
    kubernetes__capabilities__ack=True,
    kubernetes__capabilities__kro=True,
    kubernetes__capabilities__argocd__admin_group_ids=["3f3c7f5e-0000-4000-8000-3f3c7f5e0001"],
)


def test_each_capability_is_created_once(build: Build) -> None:
    built = [r["Properties"] for r in build(ALL).resources("AWS::EKS::Capability").values()]
    assert {p["Type"]: p["CapabilityName"] for p in built} == {
        "ARGOCD": "test-argocd",
        "ACK": "test-ack",
        "KRO": "test-kro",
    }
    assert {p["DeletePropagationPolicy"] for p in built} == {"RETAIN"}
    assert [p["Configuration"] for p in built if "Configuration" in p] == [
        {
            "ArgoCd": {
                "Namespace": "argocd",
                "AwsIdc": {
                    "IdcInstanceArn": "arn:aws:sso:::instance/ssoins-1234567890abcdef",
                    "IdcRegion": "us-east-1",
                },
                "RbacRoleMappings": [
                    {
                        "Role": "ADMIN",
                        "Identities": [
                            {
                                "Id": "3f3c7f5e-0000-4000-8000-3f3c7f5e0001",
                                "Type": "SSO_GROUP",
                            }
                        ],
                    }
                ],
            }
        }
    ]


def test_capability_roles_have_no_permissions(build: Build) -> None:
    roles = {
        name: r["Properties"]
        for name, r in build(ALL).resources("AWS::IAM::Role").items()
        if "Capability" in name
    }
    assert len(roles) == 3
    for role in roles.values():
        (statement,) = role["AssumeRolePolicyDocument"]["Statement"]
        assert statement["Principal"] == {"Service": "capabilities.eks.amazonaws.com"}
        assert sorted(statement["Action"]) == ["sts:AssumeRole", "sts:TagSession"]
        assert "Policies" not in role
        assert "ManagedPolicyArns" not in role


def test_no_capability_by_default(build: Build) -> None:
    spec = changed(EKS, kubernetes__capabilities=None)
    assert build(spec).resources("AWS::EKS::Capability") == {}
