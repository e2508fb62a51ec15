"""The stack that ParallelCluster creates for a cluster."""

from __future__ import annotations

from typing import Any

import pytest

from clusterwright_localaws.services.parallelcluster.cluster_stack import (
    ROLES,
    cluster_template,
)
from packages.localaws.tests.services.parallelcluster.clusters import Ground

GROUND = Ground("subnet-1", "sg-1")


def resources(**changes: Any) -> dict[str, Any]:
    found = template(**changes)["Resources"]
    return dict(found)


def template(**changes: Any) -> dict[str, Any]:
    return cluster_template(
        "train",
        {**GROUND.configuration(), **changes},
        vpc_id="vpc-1",
        image_id="ami-1",
        log_suffix="2026",
    )


def head(**more: Any) -> dict[str, Any]:
    return {**GROUND.configuration()["HeadNode"], **more}


def test_each_kind_of_node_has_its_role_profile_and_group() -> None:
    found = resources()
    for logical in ("HeadNode", "Queuetraining", "Poollogin"):
        assert found[f"Role{logical}"]["Type"] == "AWS::IAM::Role"
        profile = found[f"InstanceProfile{logical}"]["Properties"]
        assert profile == {"Path": "/parallelcluster/train/", "Roles": [{"Ref": f"Role{logical}"}]}
    for kind in ROLES:
        assert found[f"{kind}SecurityGroup"]["Properties"]["VpcId"] == "vpc-1"
        for other in ROLES:
            assert found[f"{kind}From{other}"]["Properties"]["IpProtocol"] == "-1"


def test_outputs_name_the_head_node_and_the_groups() -> None:
    assert set(template()["Outputs"]) == {
        "HeadNodeInstanceID",
        "HeadNodePrivateIP",
        "HeadNodePrivateDnsName",
        *(f"{kind}SecurityGroup" for kind in ROLES),
    }


def test_policies_of_the_configuration_are_in_the_role() -> None:
    iam = {
        "AdditionalIamPolicies": [{"Policy": "arn:aws:iam::aws:policy/ReadOnlyAccess"}],
        "S3Access": [
            {"BucketName": "b", "EnableWriteAccess": "true"},
            {"BucketName": "c", "KeyName": "k/*"},
        ],
    }
    boundary = {"PermissionsBoundary": "arn:boundary"}
    found = resources(HeadNode=head(Iam=iam), Iam=boundary)["RoleHeadNode"]["Properties"]
    assert found["ManagedPolicyArns"] == ["arn:aws:iam::aws:policy/ReadOnlyAccess"]
    assert found["PermissionsBoundary"] == "arn:boundary"
    writes, reads = found["Policies"][0]["PolicyDocument"]["Statement"]
    assert writes["Action"] == ["s3:*"]
    assert [each["Fn::Sub"] for each in writes["Resource"]] == [
        "arn:${AWS::Partition}:s3:::b",
        "arn:${AWS::Partition}:s3:::b/*",
    ]
    assert reads["Action"] == ["s3:Get*", "s3:List*"]
    assert reads["Resource"] == [{"Fn::Sub": "arn:${AWS::Partition}:s3:::c/k/*"}]


@pytest.mark.parametrize(
    ("iam", "profile"),
    [
        ({}, {"Ref": "InstanceProfileHeadNode"}),
        ({"InstanceProfile": "arn:aws:iam::1:instance-profile/p/own"}, "own"),
        ({"InstanceRole": "arn:aws:iam::1:role/own"}, None),
    ],
)
def test_a_custom_role_replaces_the_generated_one(iam: dict[str, str], profile: Any) -> None:
    found = resources(HeadNode=head(Iam=iam))
    assert ("RoleHeadNode" in found) is (not iam)
    assert found["HeadNode"]["Properties"].get("IamInstanceProfile") == profile


def test_the_head_node() -> None:
    networking = {"SubnetId": "subnet-1", "AdditionalSecurityGroups": ["sg-2"]}
    found = resources(HeadNode=head(Networking=networking, Ssh={"KeyName": "k"}))["HeadNode"]
    properties = found["Properties"]
    assert (properties["ImageId"], properties["KeyName"]) == ("ami-1", "k")
    assert properties["SecurityGroupIds"] == [
        {"Fn::GetAtt": ["HeadNodeSecurityGroup", "GroupId"]},
        "sg-2",
    ]
    own = resources()["HeadNode"]["Properties"]
    assert own["SecurityGroupIds"] == ["sg-1"]
    assert "KeyName" not in own


@pytest.mark.parametrize(
    ("logs", "policy", "days"),
    [({}, "Retain", 180), ({"DeletionPolicy": "Delete", "RetentionInDays": "7"}, "Delete", 7)],
)
def test_logs_are_kept_by_default(logs: dict[str, str], policy: str, days: int) -> None:
    found = resources(Monitoring={"Logs": {"CloudWatch": logs}})["CloudWatchLogGroup"]
    assert found["DeletionPolicy"] == policy
    assert found["Properties"] == {
        "LogGroupName": "/aws/parallelcluster/train-2026",
        "RetentionInDays": days,
    }
