"""Tests of services.ec2.launch_checks."""

from __future__ import annotations

import base64
from typing import Any

import pytest

from packages.localaws.tests.parts import Site, amazon_image_id, client, refusal

TOO_LARGE = "User data is limited to 16384 bytes"


def launch(**more: Any) -> dict[str, Any]:
    image = amazon_image_id()
    return {"ImageId": image, "InstanceType": "t3.micro", "MinCount": 1, "MaxCount": 1, **more}


def in_template(**data: Any) -> dict[str, str]:
    made = client("ec2").create_launch_template(LaunchTemplateName="one", LaunchTemplateData=data)
    return {"LaunchTemplateId": made["LaunchTemplate"]["LaunchTemplateId"]}


@pytest.fixture
def other_group() -> str:
    """The id of a security group of a second VPC."""
    ec2 = client("ec2")
    vpc = ec2.create_vpc(CidrBlock="10.9.0.0/16")["Vpc"]["VpcId"]
    group: str = ec2.create_security_group(GroupName="other", Description="o", VpcId=vpc)[
        "GroupId"
    ]
    return group


@pytest.mark.usefixtures("local")
class TestUserData:
    def test_a_launch_takes_16_kb(self) -> None:
        ec2 = client("ec2")
        assert ec2.run_instances(**launch(UserData="x" * 16384))["Instances"]
        refused = refusal(ec2.run_instances, **launch(UserData="x" * 16385))
        assert refused == ("InvalidParameterValue", TOO_LARGE)

    def test_a_template_takes_16_kb(self) -> None:
        ec2 = client("ec2")
        fits, larger = (base64.b64encode(b"x" * size).decode() for size in (16384, 16385))
        named = in_template(UserData=fits)
        data = {"LaunchTemplateData": {"UserData": larger}}
        refused = ("InvalidUserData.Malformed", f"{TOO_LARGE}.")
        assert refusal(ec2.create_launch_template, LaunchTemplateName="two", **data) == refused
        assert refusal(ec2.create_launch_template_version, **named, **data) == refused
        assert ec2.run_instances(**launch(LaunchTemplate=named))["Instances"]


class TestNetworks:
    def test_groups_of_another_vpc(self, site: Site, other_group: str) -> None:
        refused = (
            "InvalidParameter",
            f"Security group {other_group} and subnet {site.subnet_id} belong to different "
            "networks.",
        )
        for groups in ([other_group], [site.group_id, other_group]):
            interface = {"DeviceIndex": 0, "SubnetId": site.subnet_id, "Groups": groups}
            for request in (
                {"SubnetId": site.subnet_id, "SecurityGroupIds": groups},
                {"NetworkInterfaces": [interface]},
            ):
                assert refusal(client("ec2").run_instances, **launch(**request)) == refused

    def test_groups_of_a_template(self, site: Site, other_group: str) -> None:
        ec2, named = client("ec2"), in_template(SecurityGroupIds=[other_group])
        request = launch(SubnetId=site.subnet_id, LaunchTemplate=named)
        assert refusal(ec2.run_instances, **request)[0] == "InvalidParameter"
        request["SecurityGroupIds"] = [site.group_id]
        assert ec2.run_instances(**request)["Instances"]

    def test_templates_and_groups_that_do_not_exist(self, site: Site) -> None:
        run = client("ec2").run_instances
        request = launch(SubnetId=site.subnet_id, SecurityGroupIds=["sg-0123456789abcdef0"])
        assert refusal(run, **request)[0] == "InvalidGroup.NotFound"
        named = in_template(InstanceType="t3.micro")
        for template, code in (
            ({"LaunchTemplateId": "lt-07ff4bb0369cd679c"}, "InvalidLaunchTemplateId.NotFound"),
            ({"LaunchTemplateName": "n"}, "InvalidLaunchTemplateName.NotFoundException"),
            ({**named, "Version": "7"}, "InvalidLaunchTemplateId.VersionNotFound"),
        ):
            assert refusal(run, **launch(LaunchTemplate=template))[0] == code


class TestInterfaces:
    def test_more_than_the_type_has(self, site: Site) -> None:
        run = client("ec2").run_instances
        interfaces = [{"DeviceIndex": one, "SubnetId": site.subnet_id} for one in range(3)]
        assert run(**launch(NetworkInterfaces=interfaces[:2]))["Instances"]
        refused = ("AttachmentLimitExceeded", "Interface count 3 exceeds the limit for t3.micro")
        assert refusal(run, **launch(NetworkInterfaces=interfaces)) == refused
        named = in_template(NetworkInterfaces=interfaces)
        assert refusal(run, **launch(LaunchTemplate=named)) == refused
