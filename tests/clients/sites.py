"""Prerequisites of a cluster, on a served local AWS."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from tests.clients.programs import Server

_TRUST = {
    "Version": "2012-10-17",
    "Statement": [
        {
            "Effect": "Allow",
            "Principal": {"Service": "sagemaker.amazonaws.com"},
            "Action": "sts:AssumeRole",
        }
    ],
}


class Site(NamedTuple):
    subnet: str
    group: str
    role: str


def site_in(server: Server) -> Site:
    """A subnet, a security group, a role and lifecycle scripts; new ones at every call."""
    ec2, iam, s3 = server.client("ec2"), server.client("iam"), server.client("s3")
    vpc = ec2.create_vpc(CidrBlock="10.6.0.0/16")["Vpc"]["VpcId"]
    subnet = ec2.create_subnet(VpcId=vpc, CidrBlock="10.6.0.0/18", AvailabilityZoneId="use1-az6")[
        "Subnet"
    ]["SubnetId"]
    group = ec2.create_security_group(GroupName="nodes", Description="nodes", VpcId=vpc)["GroupId"]
    role = iam.create_role(RoleName=f"nodes-{vpc}", AssumeRolePolicyDocument=json.dumps(_TRUST))
    s3.create_bucket(Bucket="sagemaker-site-scripts")
    s3.put_object(Bucket="sagemaker-site-scripts", Key="base/on_create.sh", Body=b"#!/bin/sh\n")
    return Site(subnet, group, role["Role"]["Arn"])


def create_cluster(server: Server, site: Site, name: str, count: int, **more: Any) -> str:
    """A HyperPod cluster of one group; its ARN."""
    group = {
        "InstanceGroupName": "gpu",
        "InstanceType": "ml.p5.48xlarge",
        "InstanceCount": count,
        "ExecutionRole": site.role,
        "LifeCycleConfig": {
            "SourceS3Uri": "s3://sagemaker-site-scripts/base",
            "OnCreate": "on_create.sh",
        },
    }
    made: str = server.client("sagemaker").create_cluster(
        ClusterName=name,
        InstanceGroups=[group],
        VpcConfig={"Subnets": [site.subnet], "SecurityGroupIds": [site.group]},
        **more,
    )["ClusterArn"]
    return made
