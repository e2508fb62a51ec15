"""Dependencies of a HyperPod cluster, and requests that create one."""

from __future__ import annotations

import functools
import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import boto3
from botocore.exceptions import ClientError

from packages.localaws.tests.handlers import trust

REGION = "us-east-1"
ZONE_ID = "use1-az6"
LIFECYCLE = "s3://sagemaker-lifecycle/base"


@functools.cache
def client(service: str, region: str = REGION) -> Any:
    """A client of the in-process local AWS; the API models are read once per test run."""
    return boto3.Session(
        aws_access_key_id="testing", aws_secret_access_key="testing", region_name=region
    ).client(service)


@functools.cache
def amazon_image_id() -> str:
    """The id of an image of Amazon; every account has the same ones, and the list is long."""
    return str(client("ec2").describe_images(Owners=["amazon"])["Images"][0]["ImageId"])


@dataclass(frozen=True)
class Site:
    """A VPC with one subnet, a security group for EFA and Lustre, a role and scripts in S3."""

    vpc_id: str
    subnet_id: str
    group_id: str
    role_arn: str

    @property
    def vpc_config(self) -> dict[str, list[str]]:
        return {"Subnets": [self.subnet_id], "SecurityGroupIds": [self.group_id]}

    def free_addresses(self) -> int:
        found = client("ec2").describe_subnets(SubnetIds=[self.subnet_id])["Subnets"][0]
        return int(found["AvailableIpAddressCount"])

    def group(
        self, name: str, count: int, instance_type: str = "ml.p5.48xlarge", **more: Any
    ) -> dict[str, Any]:
        role = more.pop("node_type", "Compute")
        group = {
            "InstanceGroupName": name,
            "InstanceType": instance_type,
            "InstanceCount": count,
            "ExecutionRole": self.role_arn,
            "LifeCycleConfig": {"SourceS3Uri": LIFECYCLE, "OnCreate": "on_create.sh"},
            "SlurmConfig": {"NodeType": role},
            **more,
        }
        return {key: value for key, value in group.items() if value is not None}

    def controller(self, **more: Any) -> dict[str, Any]:
        return self.group("controller", 1, "ml.m5.xlarge", node_type="Controller", **more)

    def login(self, **more: Any) -> dict[str, Any]:
        return self.group("login", 1, "ml.m5.xlarge", node_type="Login", **more)

    def request(self, *groups: dict[str, Any], name: str = "train", **more: Any) -> dict[str, Any]:
        return {
            "ClusterName": name,
            "InstanceGroups": [self.controller(), *groups],
            "VpcConfig": self.vpc_config,
            "Orchestrator": {"Slurm": {}},
            **more,
        }

    def create(self, *groups: dict[str, Any], **more: Any) -> dict[str, Any]:
        """Create a cluster and describe it."""
        request = self.request(*groups, **more)
        client("sagemaker").create_cluster(**request)
        return describe(request["ClusterName"])


def build_site(cidr: str = "10.0.0.0/17", zone_id: str = ZONE_ID) -> Site:
    ec2, iam, s3 = client("ec2"), client("iam"), client("s3")
    vpc_id = ec2.create_vpc(CidrBlock="10.0.0.0/16")["Vpc"]["VpcId"]
    subnet = ec2.create_subnet(VpcId=vpc_id, CidrBlock=cidr, AvailabilityZoneId=zone_id)
    group_id = ec2.create_security_group(
        GroupName="nodes", Description="Nodes and file systems", VpcId=vpc_id
    )["GroupId"]
    document = json.dumps(trust("sagemaker.amazonaws.com"))
    role = iam.create_role(RoleName="nodes", AssumeRolePolicyDocument=document)
    s3.create_bucket(Bucket="sagemaker-lifecycle")
    s3.put_object(Bucket="sagemaker-lifecycle", Key="base/on_create.sh", Body=b"#!/bin/sh\n")
    return Site(vpc_id, subnet["Subnet"]["SubnetId"], group_id, role["Role"]["Arn"])


def open_lustre_ports(site: Site, *, efa: bool = False) -> None:
    ec2 = client("ec2")
    itself = [{"GroupId": site.group_id}]
    rules = [(988, 988), (1018, 1023)]
    ec2.authorize_security_group_ingress(
        GroupId=site.group_id,
        IpPermissions=[
            {"IpProtocol": "tcp", "FromPort": a, "ToPort": b, "UserIdGroupPairs": itself}
            for a, b in rules
        ],
    )
    if efa:
        everything = [{"IpProtocol": "-1", "UserIdGroupPairs": itself}]
        ec2.authorize_security_group_ingress(GroupId=site.group_id, IpPermissions=everything)
        ec2.authorize_security_group_egress(GroupId=site.group_id, IpPermissions=everything)


def describe(name: str = "train") -> dict[str, Any]:
    found: dict[str, Any] = client("sagemaker").describe_cluster(ClusterName=name)
    return found


def group_of(cluster: dict[str, Any], name: str) -> dict[str, Any]:
    return next(g for g in cluster["InstanceGroups"] if g["InstanceGroupName"] == name)


def nodes(name: str = "train", **more: Any) -> list[dict[str, Any]]:
    pages = client("sagemaker").get_paginator("list_cluster_nodes")
    return [
        node
        for page in pages.paginate(ClusterName=name, **more)
        for node in page["ClusterNodeSummaries"]
    ]


def refusal(call: Callable[..., Any], **parameters: Any) -> tuple[str, str]:
    """The code and message that a call is refused with."""
    try:
        call(**parameters)
    except ClientError as error:
        found = error.response["Error"]
        return found["Code"], found["Message"]
    raise AssertionError("the call was not refused")


def deploy(name: str, resources: Mapping[str, Any], **sections: Any) -> dict[str, Any]:
    """Create or update a stack, and describe it after its operation has ended."""
    cloudformation = client("cloudformation")
    body = json.dumps({"Resources": resources, **sections})
    there = {stack["StackName"] for stack in cloudformation.describe_stacks()["Stacks"]}
    change = cloudformation.update_stack if name in there else cloudformation.create_stack
    change(StackName=name, TemplateBody=body, Capabilities=["CAPABILITY_NAMED_IAM"])
    return settled(name)


def destroy(name: str) -> dict[str, Any]:
    cloudformation = client("cloudformation")
    stack_id = cloudformation.describe_stacks(StackName=name)["Stacks"][0]["StackId"]
    cloudformation.delete_stack(StackName=name)
    return settled(stack_id)


def settled(name: str) -> dict[str, Any]:
    for _ in range(500):
        found: dict[str, Any] = client("cloudformation").describe_stacks(StackName=name)["Stacks"][
            0
        ]
        if not found["StackStatus"].endswith("_IN_PROGRESS"):
            return found
        time.sleep(0.02)
    raise AssertionError(f"{name} is still {found['StackStatus']}")


def outputs(stack: Mapping[str, Any]) -> dict[str, str]:
    return {output["OutputKey"]: output["OutputValue"] for output in stack.get("Outputs", ())}


def failure(name: str, logical_id: str) -> str:
    """Why a resource of a stack failed, first reason."""
    pages = client("cloudformation").get_paginator("describe_stack_events")
    events = [e for page in pages.paginate(StackName=name) for e in page["StackEvents"]]
    for event in reversed(events):
        failed = event["ResourceStatus"] in ("CREATE_FAILED", "UPDATE_FAILED", "DELETE_FAILED")
        if failed and event["LogicalResourceId"] == logical_id:
            return str(event["ResourceStatusReason"])
    raise AssertionError(f"{logical_id} did not fail")


def physical_id(name: str, logical_id: str) -> str:
    found = client("cloudformation").describe_stack_resource(
        StackName=name, LogicalResourceId=logical_id
    )
    return str(found["StackResourceDetail"]["PhysicalResourceId"])
