"""What a call needs besides its own action."""

from __future__ import annotations

import pytest

from packages.localaws.tests.iam.conftest import (
    ACCOUNT,
    ADMIN,
    allow,
    refused,
    role,
    user,
)

BECAUSE = "because no identity-based policy allows the"


@pytest.mark.usefixtures("enforced")
class TestWhatACallNeedsBesides:
    def test_pass_role_is_required(self) -> None:
        arn = role("lambda", trusts={"Service": "lambda.amazonaws.com"})
        ask = {"FunctionName": "f", "Runtime": "python3.12", "Role": arn, "Handler": "a.b",
               "Code": {"ZipFile": b"x"}}  # fmt: skip
        ann = user("ann", allow("lambda:*"))
        found = refused(ann("lambda").create_function, **ask)
        assert f"iam:PassRole on resource: {arn} {BECAUSE} iam:PassRole action" in found[2]
        wrong = allow(
            "iam:PassRole",
            Condition={"StringEquals": {"iam:PassedToService": "ec2.amazonaws.com"}},
        )
        bob = user("bob", allow("lambda:*"), wrong)
        assert "iam:PassRole" in refused(bob("lambda").create_function, **ask)[2]
        right = allow(
            "iam:PassRole", arn,
            Condition={"StringEquals": {"iam:PassedToService": "lambda.amazonaws.com"}},
        )  # fmt: skip
        user("eve", allow("lambda:*"), right)("lambda").create_function(**ask)

    def test_pass_role_is_required_for_the_role_of_an_instance_profile(self) -> None:
        role("node", trusts={"Service": "ec2.amazonaws.com"})
        ADMIN("iam").create_instance_profile(InstanceProfileName="node")
        ADMIN("iam").add_role_to_instance_profile(InstanceProfileName="node", RoleName="node")
        image = ADMIN("ec2").describe_images(Owners=["amazon"])["Images"][0]["ImageId"]
        found = refused(
            user("ann", allow("ec2:*"))("ec2").run_instances,
            ImageId=image, MinCount=1, MaxCount=1, IamInstanceProfile={"Name": "node"},
        )  # fmt: skip
        assert f"iam:PassRole on resource: arn:aws:iam::{ACCOUNT}:role/node" in found[2]

    def test_tags_at_creation_require_the_tag_action(self) -> None:
        tags = [{"ResourceType": "vpc", "Tags": [{"Key": "team", "Value": "a"}]}]
        ask = {"CidrBlock": "10.0.0.0/16", "TagSpecifications": tags}
        ann = user("ann", allow("ec2:CreateVpc"))
        assert "ec2:CreateTags" in refused(ann("ec2").create_vpc, **ask)[2]
        tagging = allow("ec2:CreateTags", Condition={
            "StringEquals": {"ec2:CreateAction": "CreateVpc", "aws:RequestTag/team": "a"},
            "ForAllValues:StringEquals": {"aws:TagKeys": ["team"]}})  # fmt: skip
        user("bob", allow("ec2:CreateVpc"), tagging)("ec2").create_vpc(**ask)

    def test_request_condition_keys_are_evaluated(self) -> None:
        only = {"ForAllValues:StringLike": {"sagemaker:InstanceTypes": ["ml.m5.*"]}}
        ann = user("ann", allow("sagemaker:CreateCluster", Condition=only))
        group = {"InstanceGroupName": "g", "InstanceType": "ml.p5.48xlarge", "InstanceCount": 1,
                 "ExecutionRole": f"arn:aws:iam::{ACCOUNT}:role/x", "ThreadsPerCore": 1,
                 "LifeCycleConfig": {"SourceS3Uri": "s3://sagemaker-x", "OnCreate": "a.sh"}
                 }  # fmt: skip
        create = ann("sagemaker").create_cluster
        found = refused(create, ClusterName="c", InstanceGroups=[group])
        assert "sagemaker:CreateCluster" in found[2]
        small = {**group, "InstanceType": "ml.m5.xlarge"}
        found = refused(create, ClusterName="c", InstanceGroups=[small])
        assert "iam:PassRole" in found[2]

    def test_requested_region_is_evaluated(self) -> None:
        here = {"StringEquals": {"aws:RequestedRegion": "eu-west-1"}}
        ann = user("ann", allow("ec2:Describe*", Condition=here))
        ann("ec2", "eu-west-1").describe_vpcs()
        assert refused(ann("ec2").describe_vpcs)[0] == 403
