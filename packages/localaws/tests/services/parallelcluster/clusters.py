"""Clusters of ParallelCluster in templates, and what they need."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from packages.localaws.tests.cloudformation.stacks import (
    aws,
    resource,
    template,
)

VERSION = "3.16.1"


HOSTED = (
    "https://us-east-1-aws-parallelcluster.s3.us-east-1.amazonaws.com/parallelcluster/{}/"
    "templates/custom_resource/cluster.yaml"
)


@dataclass(frozen=True)
class Ground:
    """The network of a cluster."""

    subnet: str
    group: str

    def configuration(self, count: int = 2, **more: Any) -> dict[str, Any]:
        networking = {"SubnetIds": [self.subnet], "SecurityGroups": [self.group]}
        return {
            "Region": "us-east-1",
            "Image": {"Os": "ubuntu2204"},
            "HeadNode": {
                "InstanceType": "m5.xlarge",
                "Networking": {"SubnetId": self.subnet, "SecurityGroups": [self.group]},
            },
            "LoginNodes": {
                "Pools": [
                    {
                        "Name": "login",
                        "InstanceType": "m5.large",
                        "Count": 1,
                        "Networking": networking,
                    }
                ]
            },
            "Scheduling": {
                "Scheduler": "slurm",
                "SlurmQueues": [
                    {
                        "Name": "training",
                        "Networking": networking,
                        "ComputeResources": [
                            {
                                "Name": "workers",
                                "InstanceType": "m5.2xlarge",
                                "MinCount": count,
                                "MaxCount": count,
                            }
                        ],
                    }
                ],
            },
            **more,
        }


def lay_ground() -> Ground:
    ec2 = aws("ec2")
    vpc = ec2.create_vpc(CidrBlock="10.4.0.0/16")["Vpc"]["VpcId"]
    subnet = ec2.create_subnet(VpcId=vpc, CidrBlock="10.4.0.0/24", AvailabilityZoneId="use1-az6")[
        "Subnet"
    ]["SubnetId"]
    group = ec2.create_security_group(GroupName="nodes", Description="nodes", VpcId=vpc)["GroupId"]
    return Ground(subnet, group)


def body(configuration: dict[str, Any], *, version: str = VERSION, **properties: Any) -> str:
    return template(
        {
            "Provider": resource(
                "AWS::CloudFormation::Stack", {"TemplateURL": HOSTED.format(version)}
            ),
            "Cluster": resource(
                "Custom::PclusterCluster",
                {
                    "ServiceToken": {"Fn::GetAtt": ["Provider", "Outputs.ServiceToken"]},
                    "ClusterName": "train",
                    "ClusterConfiguration": configuration,
                    **properties,
                },
            ),
        },
        Outputs={
            "Head": {"Value": {"Fn::GetAtt": ["Cluster", "headNode.instanceId"]}},
            "Address": {"Value": {"Fn::GetAtt": ["Cluster", "headNode.privateIpAddress"]}},
            "Said": {"Value": {"Fn::GetAtt": ["Cluster", "validationMessages"]}},
            "Logs": {"Value": {"Fn::GetAtt": ["Provider", "Outputs.LogGroupArn"]}},
            "Layer": {"Value": {"Fn::GetAtt": ["Provider", "Outputs.LambdaLayerArn"]}},
        },
    )


def nodes() -> list[tuple[str, str]]:
    """Node type and instance type of the running instances."""
    found = []
    for reservation in aws("ec2").describe_instances()["Reservations"]:
        for instance in reservation["Instances"]:
            tags = {tag["Key"]: tag["Value"] for tag in instance["Tags"]}
            if instance["State"]["Name"] == "running":
                assert tags["parallelcluster:cluster-name"] == "train"
                found.append((tags["parallelcluster:node-type"], instance["InstanceType"]))
    return sorted(found)
