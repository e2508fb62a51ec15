"""The stack of a cluster, named like the cluster, outside the stack of the custom resource.

Of about a hundred resources that ParallelCluster creates, it has these, with its names and paths:
the head node, the roles of head, queues and login pools with the policies that the configuration
adds, the managed security groups, the log group.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from clusterwright_localaws.services.parallelcluster.fleets import CLUSTER_TAG, NODE_TAG

ROLES: Final = {"HeadNode": "HeadNode", "Compute": "Compute", "LoginNode": "LoginNodes"}
OUTPUTS: Final = ("HeadNodeInstanceID", "HeadNodePrivateIP", "HeadNodePrivateDnsName")
_ALL: Final = {"IpProtocol": "-1"}


def cluster_template(
    name: str, configuration: Mapping[str, Any], *, vpc_id: str, image_id: str, log_suffix: str
) -> dict[str, Any]:
    """Return the template of one cluster."""
    resources: dict[str, Any] = {}
    for logical, node in _nodes(configuration):
        resources |= _role(name, logical, node, configuration)
    resources |= _security_groups(name, vpc_id)
    resources["CloudWatchLogGroup"] = {
        "Type": "AWS::Logs::LogGroup",
        # ParallelCluster retains logs by default.
        "DeletionPolicy": _logs(configuration).get("DeletionPolicy", "Retain"),
        "Properties": {
            "LogGroupName": f"/aws/parallelcluster/{name}-{log_suffix}",
            "RetentionInDays": int(_logs(configuration).get("RetentionInDays", 180)),
        },
    }
    resources["HeadNode"] = _head_node(name, configuration, image_id)
    head = "HeadNode"
    values = (
        {"Ref": head},
        {"Fn::GetAtt": [head, "PrivateIp"]},
        {"Fn::GetAtt": [head, "PrivateDnsName"]},
    )
    outputs: dict[str, Any] = {
        key: {"Value": value} for key, value in zip(OUTPUTS, values, strict=True)
    }
    for kind in ROLES:
        outputs[f"{kind}SecurityGroup"] = {
            "Value": {"Fn::GetAtt": [f"{kind}SecurityGroup", "GroupId"]}
        }
    return {
        "AWSTemplateFormatVersion": "2010-09-09",
        "Description": f"AWS ParallelCluster {name} (local emulation)",
        "Resources": resources,
        "Outputs": outputs,
    }


def _nodes(configuration: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    yield "HeadNode", configuration["HeadNode"]
    for queue in configuration["Scheduling"]["SlurmQueues"]:
        yield f"Queue{_word(queue['Name'])}", queue
    for pool in (configuration.get("LoginNodes") or {}).get("Pools", []):
        yield f"Pool{_word(pool['Name'])}", pool


def _word(name: str) -> str:
    """Return a logical id; queue names are lowercase with hyphens, which are replaced."""
    return re.sub(r"[^a-z0-9]", "X", name)


def _role(
    name: str, logical: str, node: Mapping[str, Any], configuration: Mapping[str, Any]
) -> dict[str, Any]:
    given = node.get("Iam") or {}
    if "InstanceRole" in given or "InstanceProfile" in given:
        return {}
    path = f"/parallelcluster/{name}/"
    properties: dict[str, Any] = {
        "Path": path,
        "AssumeRolePolicyDocument": {
            "Version": "2012-10-17",
            "Statement": [
                {
                    "Effect": "Allow",
                    "Action": "sts:AssumeRole",
                    "Principal": {"Service": {"Fn::Sub": "ec2.${AWS::URLSuffix}"}},
                }
            ],
        },
    }
    policies = [policy["Policy"] for policy in given.get("AdditionalIamPolicies", [])]
    if policies:
        properties["ManagedPolicyArns"] = policies
    access = [
        {
            "Effect": "Allow",
            "Action": ["s3:*"]
            if str(item.get("EnableWriteAccess")).lower() == "true"
            else ["s3:Get*", "s3:List*"],
            "Resource": _bucket_arns(item),
        }
        for item in given.get("S3Access", [])
    ]
    if access:
        properties["Policies"] = [
            {
                "PolicyName": "S3Access",
                "PolicyDocument": {"Version": "2012-10-17", "Statement": access},
            }
        ]
    boundary = (configuration.get("Iam") or {}).get("PermissionsBoundary")
    if boundary:
        properties["PermissionsBoundary"] = boundary
    return {
        f"Role{logical}": {"Type": "AWS::IAM::Role", "Properties": properties},
        f"InstanceProfile{logical}": {
            "Type": "AWS::IAM::InstanceProfile",
            "Properties": {"Path": path, "Roles": [{"Ref": f"Role{logical}"}]},
        },
    }


def _bucket_arns(access: Mapping[str, Any]) -> list[dict[str, str]]:
    arn = f"arn:${{AWS::Partition}}:s3:::{access['BucketName']}"
    key = access.get("KeyName")
    if key:
        return [{"Fn::Sub": f"{arn}/{key}"}]
    return [{"Fn::Sub": arn}, {"Fn::Sub": f"{arn}/*"}]


def _security_groups(name: str, vpc_id: str) -> dict[str, Any]:
    """Return the groups, one for each kind of node; all traffic between them is allowed."""
    found: dict[str, Any] = {}
    for kind in ROLES:
        found[f"{kind}SecurityGroup"] = {
            "Type": "AWS::EC2::SecurityGroup",
            "Properties": {
                "GroupDescription": f"{name}: {kind}",
                "VpcId": vpc_id,
                "SecurityGroupEgress": [{**_ALL, "CidrIp": "0.0.0.0/0"}],
            },
        }
        for other in ROLES:
            found[f"{kind}From{other}"] = {
                "Type": "AWS::EC2::SecurityGroupIngress",
                "Properties": {
                    **_ALL,
                    "GroupId": {"Fn::GetAtt": [f"{kind}SecurityGroup", "GroupId"]},
                    "SourceSecurityGroupId": {"Fn::GetAtt": [f"{other}SecurityGroup", "GroupId"]},
                },
            }
    return found


def _head_node(name: str, configuration: Mapping[str, Any], image_id: str) -> dict[str, Any]:
    head = configuration["HeadNode"]
    networking = head["Networking"]
    groups = networking.get("SecurityGroups") or [
        {"Fn::GetAtt": ["HeadNodeSecurityGroup", "GroupId"]},
        *networking.get("AdditionalSecurityGroups", []),
    ]
    properties: dict[str, Any] = {
        "ImageId": image_id,
        "InstanceType": head["InstanceType"],
        "SubnetId": networking["SubnetId"],
        "SecurityGroupIds": groups,
        "Tags": [
            {"Key": "Name", "Value": "HeadNode"},
            {"Key": NODE_TAG, "Value": "HeadNode"},
            {"Key": CLUSTER_TAG, "Value": name},
        ],
    }
    key = (head.get("Ssh") or {}).get("KeyName")
    if key:
        properties["KeyName"] = key
    given = head.get("Iam") or {}
    if "InstanceProfile" in given:
        properties["IamInstanceProfile"] = given["InstanceProfile"].rsplit("/", 1)[-1]
    elif "InstanceRole" not in given:
        properties["IamInstanceProfile"] = {"Ref": "InstanceProfileHeadNode"}
    return {"Type": "AWS::EC2::Instance", "Properties": properties}


def _logs(configuration: Mapping[str, Any]) -> Mapping[str, Any]:
    monitoring = configuration.get("Monitoring") or {}
    found: Mapping[str, Any] = (monitoring.get("Logs") or {}).get("CloudWatch") or {}
    return found
