"""Tests of services.ec2.fixes.unknown_groups."""

from __future__ import annotations

import pytest

from packages.localaws.tests.parts import client, refusal


@pytest.mark.usefixtures("aws")
def test_message_names_the_group() -> None:
    found = refusal(client("ec2").describe_security_groups, GroupIds=["sg-0123456789abcdef0"])
    assert "The security group 'sg-0123456789abcdef0' does not exist" in str(found)


@pytest.mark.usefixtures("aws")
def test_group_that_exists_is_not_named() -> None:
    ec2 = client("ec2")
    group = ec2.create_security_group(GroupName="g", Description="g")["GroupId"]
    for unknown in ("sg-0000", "sg-ffffffffffffffffff"):
        found = refusal(ec2.describe_security_groups, GroupIds=[group, unknown])
        assert found[1] == f"The security group '{unknown}' does not exist"
    found = refusal(ec2.describe_security_groups, GroupNames=["g", "none"])
    assert found[1] == "The security group 'none' does not exist"


@pytest.mark.usefixtures("aws")
def test_group_of_two_vpcs_does_not_hide_an_unknown_one() -> None:
    ec2 = client("ec2")
    vpc = ec2.create_vpc(CidrBlock="10.1.0.0/16")["Vpc"]["VpcId"]
    ids = [
        ec2.create_security_group(GroupName="g", Description="g", **place)["GroupId"]
        for place in ({}, {"VpcId": vpc})
    ]
    found = refusal(ec2.describe_security_groups, GroupNames=["g", "none"])
    assert found[1] == "The security group 'none' does not exist"
    twice = ec2.describe_security_groups(GroupIds=[ids[0], ids[0]])["SecurityGroups"]
    assert [one["GroupId"] for one in twice] == ids[:1]


@pytest.mark.usefixtures("aws")
def test_a_launch_names_groups_that_exist() -> None:
    ec2 = client("ec2")
    image = ec2.describe_images(Owners=["amazon"])["Images"][0]["ImageId"]
    launch = {"ImageId": image, "InstanceType": "t3.micro", "MinCount": 1, "MaxCount": 1}
    (vpc,) = ec2.describe_vpcs(Filters=[{"Name": "is-default", "Values": ["true"]}])["Vpcs"]
    assert refusal(ec2.run_instances, SecurityGroups=["none"], **launch)[:2] == (
        "InvalidGroup.NotFound",
        f"The security group 'none' does not exist in default VPC '{vpc['VpcId']}'",
    )
    ec2.create_security_group(GroupName="g", Description="g")
    (started,) = ec2.run_instances(SecurityGroups=["g"], **launch)["Instances"]
    assert [one["GroupName"] for one in started["SecurityGroups"]] == ["g"]
