"""Tests of services.ec2.answer_filters."""

from __future__ import annotations

from typing import Any

import pytest

from packages.localaws.tests.parts import client, refusal

pytestmark = pytest.mark.usefixtures("aws")


def by(name: str, *values: str) -> list[dict[str, Any]]:
    return [{"Name": name, "Values": list(values)}]


def test_zones_by_opt_in_status() -> None:
    ec2 = client("ec2")
    asked = by("opt-in-status", "opt-in-not-required")
    found = ec2.describe_availability_zones(Filters=asked)["AvailabilityZones"]
    every = ec2.describe_availability_zones(AllAvailabilityZones=True)["AvailabilityZones"]
    expected = [one["ZoneName"] for one in every if one["OptInStatus"] == "opt-in-not-required"]
    assert [one["ZoneName"] for one in found] == expected
    assert len(expected) < len(every)


def test_regions_by_name_with_a_wildcard() -> None:
    found = client("ec2").describe_regions(Filters=by("region-name", "us-east-*"))["Regions"]
    assert {one["RegionName"] for one in found} == {"us-east-1", "us-east-2"}


def test_nat_gateways_by_tag() -> None:
    ec2 = client("ec2")
    vpc = ec2.create_vpc(CidrBlock="10.0.0.0/16")["Vpc"]["VpcId"]
    subnet = ec2.create_subnet(VpcId=vpc, CidrBlock="10.0.0.0/24")["Subnet"]["SubnetId"]
    for name in ("a", "b"):
        address = ec2.allocate_address(Domain="vpc")["AllocationId"]
        tags = [{"ResourceType": "natgateway", "Tags": [{"Key": "Name", "Value": name}]}]
        ec2.create_nat_gateway(SubnetId=subnet, AllocationId=address, TagSpecifications=tags)
    found = ec2.describe_nat_gateways(Filters=by("tag:Name", "b"))["NatGateways"]
    assert [one["Tags"] for one in found] == [[{"Key": "Name", "Value": "b"}]]


def test_instances_by_status() -> None:
    ec2 = client("ec2")
    image = ec2.describe_images(Owners=["amazon"])["Images"][0]["ImageId"]
    ec2.run_instances(ImageId=image, InstanceType="t3.micro", MinCount=1, MaxCount=1)
    for name, value, count in (
        ("instance-status.status", "ok", 1),
        ("instance-status.status", "impaired", 0),
        ("instance-state-name", "running", 1),
    ):
        found = ec2.describe_instance_status(Filters=by(name, value))["InstanceStatuses"]
        assert len(found) == count
    found = refusal(ec2.describe_instance_status, Filters=by("event.code", "instance-reboot"))
    assert found[:2] == (
        "UnsupportedOperation",
        "the local AWS does not implement the filter 'event.code' here",
    )
