"""Tests of services.ec2.image_checks."""

from __future__ import annotations

from typing import Any

import pytest

from clusterwright_localaws.core.runtime import Runtime
from packages.localaws.tests.parts import client, refusal

ARM_PARAMETER = (
    "resolve:ssm:/aws/service/eks/optimized-ami/1.33/amazon-linux-2023/arm64/standard/recommended/"
    "image_id"
)
MISMATCH = (
    "InvalidParameterValue",
    "The architecture 'x86_64' of the specified instance type does not match the architecture "
    "'arm64' of the specified AMI. Specify an instance type and an AMI that have matching "
    "architectures, and try again. You can use 'describe-instance-types' or 'describe-images' to "
    "discover the architecture of the instance type or AMI.",
)
UNKNOWN = "ami-0123456789abcdef0"


def launch(image: str, kind: str = "m5.large", **more: Any) -> dict[str, Any]:
    return {"ImageId": image, "InstanceType": kind, "MinCount": 1, "MaxCount": 1, **more}


def registered(architecture: str) -> str:
    mapping = {"DeviceName": "/dev/xvda", "Ebs": {"VolumeSize": 30}}
    return str(
        client("ec2").register_image(
            Name=architecture,
            Architecture=architecture,
            RootDeviceName="/dev/xvda",
            BlockDeviceMappings=[mapping],
        )["ImageId"]
    )


@pytest.mark.usefixtures("local")
class TestImages:
    @pytest.mark.parametrize("image", ["", "nonsense", "ami", "i-0123456789abcdef0", "ami-0 1"])
    def test_ids_have_the_form_of_an_id(self, image: str) -> None:
        ec2 = client("ec2")
        refused = ("InvalidAMIID.Malformed", f'Invalid id: "{image}" (expecting "ami-...")')
        assert refusal(ec2.run_instances, **launch(image)) == refused
        if image:
            ec2.create_launch_template(
                LaunchTemplateName="one", LaunchTemplateData={"ImageId": image}
            )
            request = launch(UNKNOWN, LaunchTemplate={"LaunchTemplateName": "one"})
            assert ec2.run_instances(**request)["Instances"]
            del request["ImageId"]
            assert refusal(ec2.run_instances, **request) == refused

    def test_architectures_match(self) -> None:
        ec2, arm, intel = client("ec2"), registered("arm64"), registered("x86_64")
        assert refusal(ec2.run_instances, **launch(arm)) == MISMATCH
        assert refusal(ec2.run_instances, **launch(intel, "m6g.large"))[0] == MISMATCH[0]
        ec2.create_launch_template(LaunchTemplateName="one", LaunchTemplateData={"ImageId": arm})
        request = launch(arm, LaunchTemplate={"LaunchTemplateName": "one"})
        del request["ImageId"]
        assert refusal(ec2.run_instances, **request) == MISMATCH
        for image, kind in ((arm, "m6g.large"), (intel, "m5.large"), (intel, "t2.micro")):
            assert ec2.run_instances(**launch(image, kind))["Instances"]

    def test_images_that_parameters_name(self) -> None:
        ec2 = client("ec2")
        assert refusal(ec2.run_instances, **launch(ARM_PARAMETER)) == MISMATCH
        assert ec2.run_instances(**launch(ARM_PARAMETER, "m6g.large"))["Instances"]

    def test_images_of_instances_have_the_architecture_of_the_type(self) -> None:
        ec2 = client("ec2")
        (made,) = ec2.run_instances(**launch(UNKNOWN, "m6g.large"))["Instances"]
        image = ec2.create_image(InstanceId=made["InstanceId"], Name="own")["ImageId"]
        (found,) = ec2.describe_images(ImageIds=[image])["Images"]
        assert found["Architecture"] == "arm64"
        assert ec2.run_instances(**launch(image, "m6g.large"))["Instances"]
        assert refusal(ec2.run_instances, **launch(image)) == MISMATCH

    def test_unknown_images_are_said_to_be_unknown(self, aws: Runtime) -> None:
        said: list[str] = []
        aws.log = said.append
        try:
            client("ec2").run_instances(**launch(registered("x86_64")))
            assert said == []
            client("ec2").run_instances(**launch(UNKNOWN))
        finally:
            aws.log = None
        (line,) = said
        assert "the image need not exist" in line


@pytest.mark.usefixtures("local")
class TestKeyPairs:
    def test_key_pairs_that_do_not_exist(self) -> None:
        ec2 = client("ec2")
        refused = ("InvalidKeyPair.NotFound", "The key pair 'mine' does not exist")
        ec2.create_launch_template(
            LaunchTemplateName="one", LaunchTemplateData={"KeyName": "mine"}
        )
        named = {"LaunchTemplate": {"LaunchTemplateName": "one"}}
        for more in ({"KeyName": "mine"}, named):
            assert refusal(ec2.run_instances, **launch(UNKNOWN, **more)) == refused
        client("ec2", "us-west-2").create_key_pair(KeyName="mine")
        assert refusal(ec2.run_instances, **launch(UNKNOWN, KeyName="mine")) == refused
        ec2.create_key_pair(KeyName="mine")
        for more in ({"KeyName": "mine"}, named):
            assert ec2.run_instances(**launch(UNKNOWN, **more))["Instances"]
