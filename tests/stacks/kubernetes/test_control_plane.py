"""The control plane of EKS, its network, roles and add-ons, on both platforms that have one."""

from __future__ import annotations

from typing import Any

import pytest

from tests.stacks.templates import only, properties, security_group_name, text_of
from tests.support.rich_specs import ACCOUNT, EKS, EKS_MINIMAL, HYPERPOD_EKS_MINIMAL, changed
from tests.support.synthesis import Assembly, Build

BOTH = pytest.mark.parametrize(
    "spec", [EKS_MINIMAL, HYPERPOD_EKS_MINIMAL], ids=["eks", "hyperpod"]
)


def control_plane(assembly: Assembly) -> dict[str, Any]:
    return only(assembly, "AWS::EKS::Cluster")


@BOTH
def test_control_plane_is_private_encrypted_and_logged(spec: dict[str, Any], build: Build) -> None:
    cluster = control_plane(build(spec))
    network = cluster["ResourcesVpcConfig"]
    assert network["EndpointPrivateAccess"] is True
    assert network["EndpointPublicAccess"] is False
    assert "PublicAccessCidrs" not in network
    assert cluster["AccessConfig"] == {
        "AuthenticationMode": "API",
        "BootstrapClusterCreatorAdminPermissions": False,
    }
    (encryption,) = cluster["EncryptionConfig"]
    assert encryption["Resources"] == ["secrets"]
    assert "identity" in text_of(encryption["Provider"]["KeyArn"])
    types = [one["Type"] for one in cluster["Logging"]["ClusterLogging"]["EnabledTypes"]]
    assert types == ["api", "audit", "authenticator", "controllerManager", "scheduler"]
    assert cluster["UpgradePolicy"] == {"SupportType": "STANDARD"}
    assert cluster["BootstrapSelfManagedAddons"] is False
    assert cluster["DeletionProtection"] is True


def test_spec_changes_access_and_log_retention(build: Build) -> None:
    cluster = control_plane(build(EKS))
    assert cluster["ResourcesVpcConfig"]["PublicAccessCidrs"] == ["198.51.100.0/24"]
    assert cluster["ResourcesVpcConfig"]["EndpointPublicAccess"] is True
    assert cluster["ResourcesVpcConfig"]["EndpointPrivateAccess"] is True
    assert cluster["UpgradePolicy"] == {"SupportType": "EXTENDED"}
    assert cluster["Version"] == "1.34"
    enabled = cluster["Logging"]["ClusterLogging"]["EnabledTypes"]
    assert enabled == [{"Type": "audit"}, {"Type": "controllerManager"}]
    loose = changed(EKS_MINIMAL, protection="destroy")
    assert control_plane(build(loose))["DeletionProtection"] is False


@BOTH
def test_log_group_is_created_first_with_retention_and_key(
    spec: dict[str, Any], build: Build
) -> None:
    template = build(spec).templates["test-kubernetes"]
    (name,) = [
        name for name, one in template["Resources"].items() if one["Type"] == "AWS::Logs::LogGroup"
    ]
    group = template["Resources"][name]["Properties"]
    assert group["LogGroupName"] == "/aws/eks/test/cluster"
    assert group["RetentionInDays"] == 90
    assert "KmsKeyId" in group
    assert name in template["Resources"]["Cluster"]["DependsOn"]


@BOTH
def test_control_plane_has_two_small_subnets_in_two_zones(
    spec: dict[str, Any], build: Build
) -> None:
    assembly = build(spec)
    subnets = {
        name.split("/")[1]: one["Properties"]
        for name, one in assembly.resources("AWS::EC2::Subnet").items()
    }
    control = [subnets["Control1Subnet"], subnets["Control2Subnet"]]
    assert control[0]["AvailabilityZoneId"] == "use1-az6"
    assert control[1]["AvailabilityZoneId"] != "use1-az6"
    assert all(one["CidrBlock"].endswith("/27") for one in control)
    used = control_plane(assembly)["ResourcesVpcConfig"]["SubnetIds"]
    assert len(used) == 2
    assert all("Control" in text_of(one) for one in used)


def test_unsupported_zones_are_not_used(build: Build) -> None:
    spec = changed(
        EKS_MINIMAL,
        network={"availability_zone_id": "use1-az3", "second_availability_zone_id": "use1-az5"},
    )
    zones = {
        one["Properties"]["AvailabilityZoneId"]
        for name, one in build(spec).resources("AWS::EC2::Subnet").items()
        if "Control" in name
    }
    assert zones == {"use1-az5", "use1-az1"}


def test_control_plane_of_a_local_zone_is_in_the_region(build: Build) -> None:
    spec = changed(
        EKS_MINIMAL,
        region="us-east-1",
        network={"availability_zone_id": "us-east-1-atl-2a"},
    )
    found = {
        name.split("/")[1]: one["Properties"]
        for name, one in build(spec).resources("AWS::EC2::Subnet").items()
    }
    assert found["NodesSubnet"]["AvailabilityZone"] == "us-east-1-atl-2a"
    zones = {found[f"Control{i}Subnet"]["AvailabilityZoneId"] for i in (1, 2)}
    assert zones == {"use1-az1", "use1-az2"}


@BOTH
def test_nodes_and_control_plane_have_rules_by_group_and_port(
    spec: dict[str, Any], build: Build
) -> None:
    assembly = build(spec)
    plane = "control plane of Kubernetes"
    ports = set()
    for one in properties(assembly, "AWS::EC2::SecurityGroupIngress"):
        if "SourceSecurityGroupId" not in one:
            continue
        ends = [
            security_group_name(assembly, one[key]) for key in ("SourceSecurityGroupId", "GroupId")
        ]
        if plane in ends:
            ports.add((*ends, one["FromPort"], one["ToPort"]))
    nodes = "nodes of the cluster"
    assert ports == {
        (nodes, plane, 443, 443),
        (plane, nodes, 443, 443),
        (plane, nodes, 1025, 65535),
    }


def test_connected_networks_can_reach_the_api(build: Build) -> None:
    rules = [
        one for one in properties(build(EKS), "AWS::EC2::SecurityGroupIngress") if "CidrIp" in one
    ]
    assert [(one["CidrIp"], one["FromPort"], one["ToPort"]) for one in rules] == [
        ("10.8.0.0/16", 443, 443)
    ]
    assert security_group_name(build(EKS), rules[0]["GroupId"]) == "control plane of Kubernetes"


@BOTH
def test_closed_network_has_the_endpoints_of_nodes_and_pods(
    spec: dict[str, Any], build: Build
) -> None:
    services = {
        one["ServiceName"].split(".", 3)[3]
        for one in properties(build(spec), "AWS::EC2::VPCEndpoint")
        if isinstance(one["ServiceName"], str)
    }
    assert {"ec2", "ecr.api", "ecr.dkr", "eks", "eks-auth", "s3", "sts"} <= services
    assert "fsx" not in services


def test_access_entries_match_the_spec(build: Build) -> None:
    entries = properties(build(EKS), "AWS::EKS::AccessEntry")
    admin, people = entries
    (policy,) = admin["AccessPolicies"]
    assert policy["PolicyArn"].endswith("cluster-access-policy/AmazonEKSClusterAdminPolicy")
    assert policy["AccessScope"] == {"Type": "cluster"}
    assert people["PrincipalArn"] == f"arn:aws:iam::{ACCOUNT}:role/researchers"
    assert people["KubernetesGroups"] == ["researchers"]
    assert people["AccessPolicies"] == [
        {
            "PolicyArn": "arn:aws:eks::aws:cluster-access-policy/AmazonEKSEditPolicy",
            "AccessScope": {"Type": "namespace", "Namespaces": ["pretraining"]},
        }
    ]
    (pod,) = properties(build(EKS), "AWS::EKS::PodIdentityAssociation")
    assert pod["RoleArn"] == f"arn:aws:iam::{ACCOUNT}:role/data-loader"
    assert (pod["Namespace"], pod["ServiceAccount"]) == ("pretraining", "data-loader")


def test_only_entries_of_the_spec_without_the_admin_role(build: Build) -> None:
    spec = changed(
        EKS_MINIMAL,
        kubernetes={
            "admin_role": False,
            "access": [
                {
                    "principal_arn": f"arn:aws:iam::{ACCOUNT}:role/platform",
                    "policy": "cluster-admin",
                }
            ],
        },
    )
    assembly = build(spec)
    (entry,) = properties(assembly, "AWS::EKS::AccessEntry")
    assert entry["PrincipalArn"].endswith("role/platform")
    outputs = assembly.templates["test-cluster"]["Outputs"]
    assert "--role-arn" not in text_of(outputs["KubeconfigCommand"])


def test_existing_network_is_not_changed(build: Build) -> None:
    spec = changed(
        EKS_MINIMAL,
        network={
            "availability_zone_id": "use1-az6",
            "existing": {
                "vpc_id": "vpc-0a1b2c3d4e5f60718",
                "subnet_ids": ["subnet-0a1b2c3d4e5f60718"],
                "security_group_ids": ["sg-0a1b2c3d4e5f60718"],
                "control_plane_subnet_ids": [
                    "subnet-0a1b2c3d4e5f60719",
                    "subnet-0a1b2c3d4e5f6071a",
                ],
            },
        },
    )
    assembly = build(spec)
    network = control_plane(assembly)["ResourcesVpcConfig"]
    assert network["SubnetIds"] == ["subnet-0a1b2c3d4e5f60719", "subnet-0a1b2c3d4e5f6071a"]
    assert network["SecurityGroupIds"] == ["sg-0a1b2c3d4e5f60718"]
    (group,) = properties(assembly, "AWS::EKS::Nodegroup")
    assert group["Subnets"] == ["subnet-0a1b2c3d4e5f60718"]
    assert "test-network" not in assembly.templates
