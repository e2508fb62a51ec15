"""Tests of services.ec2.fixes.instance_types."""

from __future__ import annotations

import pytest

from packages.localaws.tests.parts import client


@pytest.mark.usefixtures("aws")
class TestInstanceTypes:
    def test_gb200_has_the_documented_members(self) -> None:
        (found,) = client("ec2").describe_instance_types(InstanceTypes=["p6e-gb200.36xlarge"])[
            "InstanceTypes"
        ]
        assert found["ProcessorInfo"]["SupportedArchitectures"] == ["arm64"]
        assert found["GpuInfo"]["Gpus"][0]["Count"] == 4
        assert found["SupportedUsageClasses"] == ["capacity-block"]

    def test_gb200_is_offered_in_its_local_zone(self) -> None:
        offerings = client("ec2").describe_instance_type_offerings(
            LocationType="availability-zone-id",
            Filters=[{"Name": "instance-type", "Values": ["p6e-gb200.36xlarge"]}],
        )["InstanceTypeOfferings"]
        assert [offering["Location"] for offering in offerings] == ["use1-dfw2-az1"]
