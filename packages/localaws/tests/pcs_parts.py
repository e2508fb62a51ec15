"""An AWS PCS cluster and its dependencies."""

from __future__ import annotations

import base64
import functools
import json
from dataclasses import dataclass
from typing import Any

from packages.localaws.tests.handlers import trust
from packages.localaws.tests.parts import Site, build_site, client

TRUST = trust("ec2.amazonaws.com")


@dataclass(frozen=True)
class PcsSite:
    """A subnet, a role for nodes, an image and a launch template."""

    site: Site
    profile_arn: str
    image_id: str
    template_id: str

    def request(self, name: str = "train", **more: Any) -> dict[str, Any]:
        """Return the parameters of CreateCluster."""
        return {
            "clusterName": name,
            "scheduler": {"type": "SLURM", "version": "25.11"},
            "size": "SMALL",
            "networking": {
                "subnetIds": [self.site.subnet_id],
                "securityGroupIds": [self.site.group_id],
            },
            **more,
        }

    def create(self, name: str = "train", **more: Any) -> dict[str, Any]:
        """Create a cluster, and return it when it is active."""
        client("pcs").create_cluster(**self.request(name, **more))
        return cluster(name)

    def group(self, name: str = "workers", **more: Any) -> dict[str, Any]:
        """Return the parameters of CreateComputeNodeGroup; None leaves a member out."""
        asked = {
            "clusterIdentifier": "train",
            "computeNodeGroupName": name,
            "subnetIds": [self.site.subnet_id],
            "customLaunchTemplate": {"id": self.template_id, "version": "1"},
            "iamInstanceProfileArn": self.profile_arn,
            "scalingConfiguration": {"minInstanceCount": 2, "maxInstanceCount": 4},
            "instanceConfigs": [{"instanceType": "m5.xlarge"}],
            **more,
        }
        return {key: value for key, value in asked.items() if value is not None}

    def create_group(self, name: str = "workers", **more: Any) -> dict[str, Any]:
        """Create a compute node group, and return it when that is done."""
        client("pcs").create_compute_node_group(**self.group(name, **more))
        return group(name)

    def create_queue(self, name: str = "batch", *groups: str, **more: Any) -> dict[str, Any]:
        """Create a queue of the groups with these names, and return it."""
        ids = [group(one)["id"] for one in groups or ("workers",)]
        client("pcs").create_queue(
            clusterIdentifier="train",
            queueName=name,
            computeNodeGroupConfigurations=[{"computeNodeGroupId": one} for one in ids],
            **more,
        )
        return queue(name)


def cluster(name: str = "train") -> dict[str, Any]:
    found: dict[str, Any] = client("pcs").get_cluster(clusterIdentifier=name)["cluster"]
    return found


def group(name: str = "workers", cluster_name: str = "train") -> dict[str, Any]:
    found: dict[str, Any] = client("pcs").get_compute_node_group(
        clusterIdentifier=cluster_name, computeNodeGroupIdentifier=name
    )["computeNodeGroup"]
    return found


def queue(name: str = "batch") -> dict[str, Any]:
    found: dict[str, Any] = client("pcs").get_queue(
        clusterIdentifier="train", queueIdentifier=name
    )["queue"]
    return found


def instances(group_id: str) -> list[dict[str, Any]]:
    """Return the running instances of a compute node group."""
    answer = client("ec2").describe_instances(
        Filters=[
            {"Name": "tag:aws:pcs:compute-node-group-id", "Values": [group_id]},
            {"Name": "instance-state-name", "Values": ["running"]},
        ]
    )
    return [one for each in answer["Reservations"] for one in each["Instances"]]


def profile(name: str, path: str = "/", trust: Any = None) -> str:
    """Create a role and an instance profile of one name, and return the profile's ARN."""
    iam = client("iam")
    iam.create_role(RoleName=name, Path=path, AssumeRolePolicyDocument=json.dumps(trust or TRUST))
    made = iam.create_instance_profile(InstanceProfileName=name)["InstanceProfile"]
    iam.add_role_to_instance_profile(InstanceProfileName=name, RoleName=name)
    return str(made["Arn"])


def template(name: str, **data: Any) -> str:
    """Create a launch template, and return its id."""
    made = client("ec2").create_launch_template(LaunchTemplateName=name, LaunchTemplateData=data)
    return str(made["LaunchTemplate"]["LaunchTemplateId"])


@functools.cache
def image() -> str:
    """Return the id of an x86_64 image; every account has the same ones, and the list is long."""
    found = client("ec2").describe_images(
        Filters=[{"Name": "architecture", "Values": ["x86_64"]}]
    )["Images"]
    return str(found[0]["ImageId"])


def build_pcs_site() -> PcsSite:
    """Create what a PCS cluster needs."""
    return add_pcs(build_site())


def add_pcs(site: Site) -> PcsSite:
    """Create what a PCS cluster needs beside a network."""
    image_id = image()
    data = {
        "ImageId": image_id,
        "SecurityGroupIds": [site.group_id],
        "UserData": base64.b64encode(b"#!/bin/sh\n").decode(),
        "TagSpecifications": [
            {"ResourceType": "instance", "Tags": [{"Key": "Name", "Value": "node"}]}
        ],
    }
    return PcsSite(site, profile("AWSPCS-nodes"), image_id, template("nodes", **data))
