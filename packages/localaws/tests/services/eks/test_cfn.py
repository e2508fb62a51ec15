"""EKS and task governance in templates: created, refused, updated and replaced."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

import pytest

from clusterwright_localaws import local_aws
from clusterwright_localaws.services.eks.fleet import Fleet
from packages.localaws.tests.eks_parts import EksSite, build_eks_site, cluster
from packages.localaws.tests.eks_templates import template
from packages.localaws.tests.parts import (
    client,
    deploy,
    destroy,
    failure,
    outputs,
    physical_id,
    refusal,
)

VIEW = "arn:aws:eks::aws:cluster-access-policy/AmazonEKSViewPolicy"


@pytest.fixture
def eks_site() -> Iterator[EksSite]:
    with local_aws():
        yield build_eks_site()


OUTPUTS = {
    "Outputs": {
        name: {"Value": {"Fn::GetAtt": list(path)}}
        for name, path in {
            "Endpoint": ("Cluster", "Endpoint"),
            "Issuer": ("Cluster", "OpenIdConnectIssuerUrl"),
            "Group": ("Cluster", "ClusterSecurityGroupId"),
            "Authority": ("Cluster", "CertificateAuthorityData"),
            "NodegroupArn": ("System", "Arn"),
            "AddonArn": ("Governance", "Arn"),
            "EntryArn": ("Access", "AccessEntryArn"),
            "AssociationId": ("Identity", "AssociationId"),
            "QuotaId": ("Quota", "ComputeQuotaId"),
            "PolicyVersion": ("Policy", "ClusterSchedulerConfigVersion"),
        }.items()
    }
}


def changed(site: EksSite) -> dict[str, Any]:
    """The template with a change in every resource that can be updated in place."""
    resources = copy.deepcopy(template(site))
    properties = resources["Cluster"]["Properties"]
    properties["ResourcesVpcConfig"]["EndpointPrivateAccess"] = True
    properties["Logging"] = {"ClusterLogging": {"EnabledTypes": [{"Type": "audit"}]}}
    properties["AccessConfig"] = {"AuthenticationMode": "API"}
    properties["DeletionProtection"] = True
    properties["Tags"] = [{"Key": "team", "Value": "b"}]
    nodes = resources["System"]["Properties"]
    nodes["ScalingConfig"]["DesiredSize"] = 2
    nodes["Labels"] = {"Other": "x"}
    resources["Access"]["Properties"]["AccessPolicies"] = [
        {"PolicyArn": VIEW, "AccessScope": {"Type": "namespace", "Namespaces": ["ml"]}}
    ]
    resources["Governance"]["Properties"]["AddonVersion"] = "v1.2.2-eksbuild.1"
    resources["Policy"]["Properties"]["SchedulerConfig"] = {"FairShare": "Disabled"}
    resources["Identity"]["Properties"]["ServiceAccount"] = "serve"  # create-only
    return resources


def test_platform_is_deployed_with_ids_and_attributes(eks_site: EksSite) -> None:
    stack = deploy("platform", template(eks_site), **OUTPUTS)
    assert stack["StackStatus"] == "CREATE_COMPLETE"
    found, name = outputs(stack), physical_id("platform", "Cluster")
    shown = cluster(name)
    assert found["Endpoint"] == shown["endpoint"]
    assert found["Issuer"] == shown["identity"]["oidc"]["issuer"]
    assert found["Group"] == shown["resourcesVpcConfig"]["clusterSecurityGroupId"]
    assert shown["tags"]["team"] == "a"
    assert shown["logging"]["clusterLogging"][0] == {"types": ["api"], "enabled": True}
    assert physical_id("platform", "System").startswith(f"{name}/")
    assert physical_id("platform", "Governance") == (
        f"{name}|amazon-sagemaker-hyperpod-taskgovernance"
    )
    assert physical_id("platform", "Access") == f"{eks_site.pod_role}|{name}"
    assert physical_id("platform", "Quota").endswith(found["QuotaId"])
    assert found["PolicyVersion"] == "1"


def test_changes_update_or_replace_resources(eks_site: EksSite) -> None:
    eks = client("eks")
    first = deploy("platform", template(eks_site), **OUTPUTS)
    name, group = physical_id("platform", "Cluster"), physical_id("platform", "System")
    before = cluster(name)
    stack = deploy("platform", changed(eks_site), **OUTPUTS)
    assert stack["StackStatus"] == "UPDATE_COMPLETE"
    after = cluster(name)
    assert after["arn"] == before["arn"]
    assert after["resourcesVpcConfig"]["endpointPrivateAccess"] is True
    assert after["logging"]["clusterLogging"][0] == {"types": ["audit"], "enabled": True}
    assert after["accessConfig"]["authenticationMode"] == "API"
    assert after["tags"]["team"] == "b"
    shown = eks.describe_nodegroup(clusterName=name, nodegroupName=group.split("/")[1])
    assert shown["nodegroup"]["scalingConfig"]["desiredSize"] == 2
    assert shown["nodegroup"]["labels"] == {"Other": "x"}
    assert shown["nodegroup"]["tags"]["Team"] == "a"
    policies = eks.list_associated_access_policies(
        clusterName=name, principalArn=eks_site.pod_role
    )["associatedAccessPolicies"]
    assert [(p["policyArn"], p["accessScope"]["namespaces"]) for p in policies] == [(VIEW, ["ml"])]
    assert outputs(stack)["PolicyVersion"] == "2"
    associations = eks.list_pod_identity_associations(clusterName=name)["associations"]
    assert [association["serviceAccount"] for association in associations] == ["serve"]
    assert associations[0]["associationId"] != outputs(first)["AssociationId"]


def test_deletion_protection_keeps_the_cluster(eks_site: EksSite) -> None:
    eks, sagemaker = client("eks"), client("sagemaker")
    deploy("platform", changed(eks_site))
    name = physical_id("platform", "Cluster")
    assert destroy("platform")["StackStatus"] == "DELETE_FAILED"
    assert "deletion protection" in failure("platform", "Cluster")
    eks.update_cluster_config(name=name, deletionProtection=False)
    assert destroy("platform")["StackStatus"] == "DELETE_COMPLETE"
    assert eks.list_clusters()["clusters"] == []
    assert sagemaker.list_clusters()["ClusterSummaries"] == []
    assert sagemaker.list_compute_quotas()["ComputeQuotaSummaries"] == []


@pytest.mark.parametrize(
    ("logical_id", "change", "words"),
    [
        ("Cluster", {"Version": "1.10"}, "unsupported Kubernetes version"),
        ("System", {"InstanceTypes": ["m5.gigantic"]}, "do not exist: [m5.gigantic]"),
        ("Governance", {"AddonName": "not-an-addon"}, "Addon specified is not supported"),
        (
            "Quota",
            {
                "ComputeQuotaConfig": {
                    "ComputeQuotaResources": [{"InstanceType": "ml.p5.48xlarge", "Count": 1}]
                }
            },
            "no instance group of the cluster has ml.p5.48xlarge",
        ),
    ],
)
def test_what_the_api_refuses_the_stack_refuses(
    eks_site: EksSite, logical_id: str, change: dict[str, Any], words: str
) -> None:
    resources = template(eks_site)
    resources[logical_id]["Properties"].update(change)
    assert deploy("platform", resources)["StackStatus"] == "ROLLBACK_COMPLETE"
    assert words in failure("platform", logical_id)
    assert client("eks").list_clusters()["clusters"] == []


def test_nodes_that_fail_to_launch_fail_the_stack() -> None:
    with local_aws(capacity=[{"instance_type": "m5.xlarge", "available": 0}]):
        site = build_eks_site()
        resources = {name: template(site)[name] for name in ("Cluster", "System")}
        assert deploy("platform", resources)["StackStatus"] == "ROLLBACK_COMPLETE"
        assert "InsufficientInstanceCapacity" in failure("platform", "System")


def test_a_failure_of_another_service_rolls_the_stack_back(
    eks_site: EksSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: Any) -> Any:
        raise RuntimeError("EC2 is down")

    monkeypatch.setattr(Fleet, "grow_to", broken)
    resources = {name: template(eks_site)[name] for name in ("Cluster", "System")}
    assert deploy("platform", resources)["StackStatus"] == "ROLLBACK_COMPLETE"
    assert "EC2 is down" in failure("platform", "System")
    assert client("eks").list_clusters()["clusters"] == []


def test_unsupported_properties_are_refused_by_name(eks_site: EksSite) -> None:
    resources = {"Cluster": template(eks_site)["Cluster"]}
    resources["Cluster"]["Properties"]["OutpostConfig"] = {
        "ControlPlaneInstanceType": "m5.large",
        "OutpostArns": ["arn:aws:outposts:us-east-1:123456789012:outpost/op-1"],
    }
    message = refusal(deploy, name="platform", resources=resources)[1]
    assert "OutpostConfig" in message
