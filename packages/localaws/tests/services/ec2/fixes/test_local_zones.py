"""Tests of services.ec2.fixes.local_zones."""

from __future__ import annotations

from typing import Any

import pytest

from packages.localaws.tests.parts import client


@pytest.mark.usefixtures("aws")
class TestZones:
    def zones(self, region: str = "us-east-1", **asked: Any) -> dict[str, str]:
        found = client("ec2", region).describe_availability_zones(**asked)["AvailabilityZones"]
        return {zone["ZoneName"]: zone["ZoneId"] for zone in found}

    def test_local_zones_are_listed_only_on_request(self) -> None:
        plain = self.zones()
        assert all(zone_id.startswith("use1-az") for zone_id in plain.values())
        every = self.zones(AllAvailabilityZones=True)
        assert every["us-east-1-dfw-2a"] == "use1-dfw2-az1"
        assert plain.items() < every.items()
        assert self.zones(ZoneNames=["us-east-1-dfw-2a"]) == {"us-east-1-dfw-2a": "use1-dfw2-az1"}
        assert self.zones() == plain

    def test_local_zone_can_have_a_subnet(self) -> None:
        ec2 = client("ec2")
        vpc = ec2.create_vpc(CidrBlock="10.3.0.0/16")["Vpc"]["VpcId"]
        subnet = ec2.create_subnet(
            VpcId=vpc, CidrBlock="10.3.0.0/20", AvailabilityZone="us-east-1-dfw-2a"
        )["Subnet"]
        assert subnet["AvailabilityZoneId"] == "use1-dfw2-az1"
