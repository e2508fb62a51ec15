"""Permissions that the role of HyperPod's nodes needs."""

from __future__ import annotations

from typing import Any

import pytest
from botocore.exceptions import ClientError

from packages.localaws.tests.iam.conftest import (
    ACCOUNT,
    ADMIN,
    allow,
    deny,
    document,
    role,
)

pytestmark = pytest.mark.usefixtures("enforced")


class TestNodesRole:
    """The permissions that the role of HyperPod's nodes needs."""

    network = (
        "ec2:CreateNetworkInterface",
        "ec2:CreateNetworkInterfacePermission",
        "ec2:CreateTags",
        "ec2:DeleteNetworkInterface",
        "ec2:DeleteNetworkInterfacePermission",
        "ec2:DescribeDhcpOptions",
        "ec2:DescribeNetworkInterfaces",
        "ec2:DescribeSecurityGroups",
        "ec2:DescribeSubnets",
        "ec2:DescribeVpcs",
        "ec2:DetachNetworkInterface",
    )

    def cluster(self, *statements: dict[str, Any], **more: Any) -> dict[str, Any]:
        ec2, s3 = ADMIN("ec2"), ADMIN("s3")
        vpc = ec2.create_vpc(CidrBlock="10.0.0.0/16")["Vpc"]["VpcId"]
        subnet = ec2.create_subnet(
            VpcId=vpc, CidrBlock="10.0.0.0/20", AvailabilityZoneId="use1-az6"
        )["Subnet"]["SubnetId"]
        group = ec2.create_security_group(GroupName="g", Description="d", VpcId=vpc)["GroupId"]
        s3.create_bucket(Bucket="sagemaker-scripts")
        s3.put_object(Bucket="sagemaker-scripts", Key="v1/on_create.sh", Body=b"x")
        arn = role(
            "nodes",
            *statements,
            trusts={"Service": more.pop("service", "sagemaker.amazonaws.com")},
        )
        ADMIN("sagemaker").create_cluster(
            ClusterName="c",
            InstanceGroups=[
                {
                    "InstanceGroupName": "workers",
                    "InstanceType": "ml.m5.xlarge",
                    "InstanceCount": 1,
                    "ExecutionRole": arn,
                    "LifeCycleConfig": {
                        "SourceS3Uri": "s3://sagemaker-scripts/v1",
                        "OnCreate": "on_create.sh",
                    },
                }
            ],
            VpcConfig={"Subnets": [subnet], "SecurityGroupIds": [group]},
        )
        found: dict[str, Any] = ADMIN("sagemaker").describe_cluster(ClusterName="c")
        return found

    scripts = (
        allow("s3:ListBucket", "arn:aws:s3:::sagemaker-scripts"),
        allow("s3:GetObject", "arn:aws:s3:::sagemaker-scripts/v1/*"),
    )

    def test_documented_node_permissions_are_sufficient(self) -> None:
        found = self.cluster(allow(list(self.network)), *self.scripts)
        assert found["ClusterStatus"] == "InService"

    def test_managed_policy_allows_buckets_named_sagemaker(self) -> None:
        policy = "arn:aws:iam::aws:policy/AmazonSageMakerClusterInstanceRolePolicy"
        assert ADMIN("iam").get_policy(PolicyArn=policy)["Policy"]["Arn"] == policy

    @pytest.mark.parametrize("lacking", network)
    def test_each_network_permission_is_required(self, lacking: str) -> None:
        rights = [item for item in self.network if item != lacking]
        with pytest.raises(ClientError, match=f"ValidationException.*to perform {lacking}"):
            self.cluster(allow(rights), *self.scripts)

    @pytest.mark.parametrize("index", [0, 1])
    def test_each_script_permission_is_required(self, index: int) -> None:
        found = self.cluster(allow(list(self.network)), self.scripts[index])
        assert found["ClusterStatus"] == "Failed"
        assert "are accessible" in found["FailureMessage"]

    def test_trust_policy_is_evaluated(self) -> None:
        with pytest.raises(ClientError, match="Could not assume role"):
            self.cluster(allow("*"), service="not-sagemaker.amazonaws.com")


def test_denying_bucket_policy_fails_the_nodes() -> None:
    """A bucket that denies all others also denies the nodes' role."""
    nodes = TestNodesRole()
    ADMIN("s3").create_bucket(Bucket="sagemaker-scripts")
    ADMIN("s3").put_bucket_policy(
        Bucket="sagemaker-scripts",
        Policy=document(
            deny(
                "s3:GetObject",
                "arn:aws:s3:::sagemaker-scripts/*",
                Principal="*",
                Condition={"ArnNotEquals": {"aws:PrincipalArn": f"arn:aws:iam::{ACCOUNT}:root"}},
            )
        ),
    )
    found = nodes.cluster(allow("*"))
    assert found["ClusterStatus"] == "Failed"
