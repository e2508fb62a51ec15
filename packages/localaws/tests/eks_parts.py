"""An EKS cluster and its dependencies."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from packages.localaws.tests.parts import Site, build_site, client


@dataclass(frozen=True)
class EksSite:
    """Two subnets in two zones, and roles for a cluster, its nodes and its pods."""

    site: Site
    subnet_ids: tuple[str, str]
    cluster_role: str
    node_role: str
    pod_role: str

    def request(self, name: str = "eks", **more: Any) -> dict[str, Any]:
        return {
            "name": name,
            "roleArn": self.cluster_role,
            "resourcesVpcConfig": {"subnetIds": list(self.subnet_ids)},
            "accessConfig": {"authenticationMode": "API"},
            **more,
        }

    def create(self, name: str = "eks", **more: Any) -> dict[str, Any]:
        """Create a cluster and describe it."""
        client("eks").create_cluster(**self.request(name, **more))
        return cluster(name)

    def group(self, name: str = "system", **more: Any) -> dict[str, Any]:
        return {
            "clusterName": "eks",
            "nodegroupName": name,
            "subnets": [self.subnet_ids[0]],
            "nodeRole": self.node_role,
            "instanceTypes": ["m5.xlarge"],
            "scalingConfig": {"minSize": 1, "maxSize": 3, "desiredSize": 2},
            **more,
        }

    def hyperpod(
        self, *groups: dict[str, Any], name: str = "train", **more: Any
    ) -> dict[str, Any]:
        """A request for a HyperPod cluster that the EKS cluster `eks` orchestrates."""
        workers = self.site.group("workers", 2, "ml.m5.xlarge", SlurmConfig=None)
        return {
            "ClusterName": name,
            "InstanceGroups": list(groups) or [workers],
            "VpcConfig": self.site.vpc_config,
            "Orchestrator": {
                "Eks": {"ClusterArn": "arn:aws:eks:us-east-1:123456789012:cluster/eks"}
            },
            **more,
        }


def cluster(name: str = "eks") -> dict[str, Any]:
    found: dict[str, Any] = client("eks").describe_cluster(name=name)["cluster"]
    return found


def role(name: str, service: str, *actions: str) -> str:
    document = {
        "Version": "2012-10-17",
        "Statement": [
            {
                "Effect": "Allow",
                "Principal": {"Service": service},
                "Action": ["sts:AssumeRole", *actions],
            }
        ],
    }
    made = client("iam").create_role(RoleName=name, AssumeRolePolicyDocument=json.dumps(document))
    return str(made["Role"]["Arn"])


def build_eks_site() -> EksSite:
    site = build_site()
    second = client("ec2").create_subnet(
        VpcId=site.vpc_id, CidrBlock="10.0.192.0/18", AvailabilityZoneId="use1-az1"
    )["Subnet"]["SubnetId"]
    return EksSite(
        site,
        (site.subnet_id, second),
        role("eks-cluster", "eks.amazonaws.com"),
        role("eks-nodes", "ec2.amazonaws.com"),
        role("eks-pods", "pods.eks.amazonaws.com", "sts:TagSession"),
    )
