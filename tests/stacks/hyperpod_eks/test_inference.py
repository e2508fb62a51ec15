"""HyperPod's inference operator: its prerequisites and the roles of its pods."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from clusterwright.platforms.hyperpod_eks import inference
from clusterwright_localaws import local_aws
from tests.stacks.deployment import Account, bootstrapped
from tests.support.rich_specs import MINIMAL, changed
from tests.support.synthesis import Build

SPEC: dict[str, Any] = {
    **MINIMAL,
    "platform": "hyperpod-eks",
    "protection": "destroy",
    "network": {
        "availability_zone_id": "use1-az6",
        "second_availability_zone_id": "use1-az4",
        "egress": "nat",
    },
    "compute": [
        {"name": "system", "role": "system", "instance_type": "m5.4xlarge", "count": 2},
        {"name": "workers", "role": "compute", "instance_type": "p5.48xlarge", "count": 1},
    ],
    "hyperpod": {
        "addons": [{"name": "training-operator"}],
        "inference": {"gated_models": True, "addon_version": "v1.0.1-eksbuild.1"},
    },
}


@pytest.fixture(scope="module")
def deployed(build: Build) -> Iterator[Account]:
    """An account with the deployed `SPEC`; tests that change it restore it."""
    with local_aws():
        found = bootstrapped()
        found.deploy(build(SPEC))
        yield found


def addon(account: Account, name: str) -> dict[str, Any]:
    found: dict[str, Any] = account.client("eks").describe_addon(
        clusterName="test", addonName=name
    )["addon"]
    return found


def provider(account: Account) -> tuple[str, str]:
    """The ARN of IAM's provider, and the issuer without its scheme."""
    iam = account.client("iam")
    (entry,) = iam.list_open_id_connect_providers()["OpenIDConnectProviderList"]
    found = iam.get_open_id_connect_provider(OpenIDConnectProviderArn=entry["Arn"])
    return entry["Arn"], found["Url"]


def role(account: Account, arn: str) -> dict[str, Any]:
    found: dict[str, Any] = account.client("iam").get_role(RoleName=arn.rsplit("/", 1)[-1])["Role"]
    return found


def test_every_required_addon_is_installed_once(deployed: Account) -> None:
    names = deployed.client("eks").list_addons(clusterName="test")["addons"]
    assert {*inference.DEPENDENCIES, "cert-manager", inference.ADDON} <= set(names)
    assert names.count("cert-manager") == 1
    assert addon(deployed, inference.ADDON)["addonVersion"] == "v1.0.1-eksbuild.1"


def test_addon_values_match_the_guide(deployed: Account) -> None:
    values = json.loads(addon(deployed, inference.ADDON)["configurationValues"])
    cluster = deployed.client("sagemaker").describe_cluster(ClusterName="test")
    assert values["hyperpodClusterArn"] == cluster["ClusterArn"]
    assert values["tlsCertificateS3Bucket"].startswith("hyperpod-tls-test-")
    assert values["alb"]["serviceAccount"]["create"] is True
    names = {bucket["Name"] for bucket in deployed.client("s3").list_buckets()["Buckets"]}
    assert values["tlsCertificateS3Bucket"] in names
    for arn in (
        values["executionRoleArn"],
        values["alb"]["serviceAccount"]["roleArn"],
        values["keda"]["auth"]["aws"]["irsa"]["roleArn"],
        values["jumpstartGatedModelDownloadRoleArn"],
    ):
        assert role(deployed, arn)["Arn"] == arn


def test_roles_are_limited_to_one_service_account(deployed: Account) -> None:
    values = json.loads(addon(deployed, inference.ADDON)["configurationValues"])
    arn, issuer = provider(deployed)
    eks = deployed.client("eks").describe_cluster(name="test")["cluster"]
    assert eks["identity"]["oidc"]["issuer"] == f"https://{issuer}"
    accounts = {
        "hyperpod-inference-system:hyperpod-inference-controller-manager": (
            values["executionRoleArn"]
        ),
        "hyperpod-inference-system:aws-load-balancer-controller": (
            values["alb"]["serviceAccount"]["roleArn"]
        ),
        "hyperpod-inference-system:keda-operator": values["keda"]["auth"]["aws"]["irsa"][
            "roleArn"
        ],
        "*:hyperpod-inference-service-account*": values["jumpstartGatedModelDownloadRoleArn"],
    }
    for account, role_arn in accounts.items():
        statement = role(deployed, role_arn)["AssumeRolePolicyDocument"]["Statement"][0]
        assert statement["Principal"] == {"Federated": arn}
        test = "StringLike" if "*" in account else "StringEquals"
        assert statement["Condition"] == {
            test: {
                f"{issuer}:aud": "sts.amazonaws.com",
                f"{issuer}:sub": f"system:serviceaccount:{account}",
            }
        }


def test_operator_can_pass_only_its_own_role(deployed: Account) -> None:
    values = json.loads(addon(deployed, inference.ADDON)["configurationValues"])
    name = values["executionRoleArn"].rsplit("/", 1)[-1]
    iam = deployed.client("iam")
    (policy,) = iam.list_role_policies(RoleName=name)["PolicyNames"]
    document = iam.get_role_policy(RoleName=name, PolicyName=policy)["PolicyDocument"]
    (statement,) = document["Statement"]
    assert statement["Action"] == "iam:PassRole"
    assert statement["Resource"] == values["executionRoleArn"]
    (attached,) = iam.list_attached_role_policies(RoleName=name)["AttachedPolicies"]
    assert attached["PolicyName"] == "AmazonSageMakerHyperPodInferenceAccess"


def test_load_balancers_have_subnets_in_two_zones(deployed: Account) -> None:
    found = deployed.client("ec2").describe_subnets(
        Filters=[{"Name": f"tag:{inference.INTERNAL_TAG}", "Values": ["1"]}]
    )["Subnets"]
    assert len({subnet["AvailabilityZoneId"] for subnet in found}) == 2


def test_inference_can_be_removed(deployed: Account, build: Build) -> None:
    without = changed(SPEC, hyperpod__inference=None)
    deployed.deploy(build(without))
    assert inference.ADDON not in deployed.client("eks").list_addons(clusterName="test")["addons"]
    assert not deployed.client("iam").list_open_id_connect_providers()["OpenIDConnectProviderList"]
    assert "cert-manager" in deployed.client("eks").list_addons(clusterName="test")["addons"]
    deployed.deploy(build(SPEC))


def test_nothing_is_created_without_inference(build: Build) -> None:
    assembly = build(changed(SPEC, hyperpod__inference=None))
    assert assembly.resources("AWS::IAM::OIDCProvider") == {}
    names = {r["Properties"]["AddonName"] for r in assembly.resources("AWS::EKS::Addon").values()}
    assert names.isdisjoint({inference.ADDON, *inference.DEPENDENCIES[:2]})
    tags = [
        tag["Key"]
        for subnet in assembly.resources("AWS::EC2::Subnet").values()
        for tag in subnet["Properties"]["Tags"]
    ]
    assert inference.INTERNAL_TAG not in tags
