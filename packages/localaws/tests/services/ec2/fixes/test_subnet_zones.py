"""Tests of services.ec2.fixes.subnet_zones."""

from __future__ import annotations

from typing import Any

import pytest

from packages.localaws.tests.parts import client, refusal


@pytest.mark.usefixtures("aws")
class TestZones:
    def zones(self, region: str = "us-east-1", **asked: Any) -> dict[str, str]:
        found = client("ec2", region).describe_availability_zones(**asked)["AvailabilityZones"]
        return {zone["ZoneName"]: zone["ZoneId"] for zone in found}

    def test_subnet_by_zone_id_equals_subnet_by_name(self) -> None:
        ec2 = client("ec2")
        vpc = ec2.create_vpc(CidrBlock="10.3.0.0/16")["Vpc"]["VpcId"]
        subnet = ec2.create_subnet(
            VpcId=vpc, CidrBlock="10.3.0.0/20", AvailabilityZoneId="use1-az6"
        )["Subnet"]
        assert self.zones()[subnet["AvailabilityZone"]] == "use1-az6"
        assert subnet["DefaultForAz"] is False
        assert subnet["MapPublicIpOnLaunch"] is False

    @pytest.mark.parametrize(
        "zone", [{"AvailabilityZone": "us-east-1a"}, {"AvailabilityZoneId": "use1-az1"}]
    )
    def test_a_zone_of_another_region_is_refused(self, zone: dict[str, str]) -> None:
        ec2 = client("ec2", "eu-north-1")
        vpc = ec2.create_vpc(CidrBlock="10.3.0.0/16")["Vpc"]["VpcId"]
        found, message = refusal(ec2.create_subnet, VpcId=vpc, CidrBlock="10.3.0.0/20", **zone)
        assert found == "InvalidParameterValue"
        assert "eu-north-1a" in message
