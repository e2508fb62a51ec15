"""Tests of services.ec2.zone_groups."""

from __future__ import annotations

from clusterwright_localaws import local_aws
from packages.localaws.tests.parts import client, refusal

DALLAS = "us-east-1-dfw-2"


def status() -> str:
    found = client("ec2").describe_availability_zones(
        AllAvailabilityZones=True, ZoneNames=[f"{DALLAS}a"]
    )["AvailabilityZones"][0]
    assert found["GroupName"] == DALLAS
    return str(found["OptInStatus"])


def test_a_local_zone_refuses_subnets_until_the_account_opts_in() -> None:
    with local_aws("generous", local_zones="not-opted-in"):
        ec2 = client("ec2")
        vpc = ec2.create_vpc(CidrBlock="10.3.0.0/16")["Vpc"]["VpcId"]
        wanted = {"VpcId": vpc, "CidrBlock": "10.3.0.0/20", "AvailabilityZone": f"{DALLAS}a"}
        assert status() == "not-opted-in"
        refused, words = refusal(ec2.create_subnet, **wanted)
        assert refused == "InvalidParameterValue"
        assert f"{DALLAS}a" in words
        opt_in = ec2.modify_availability_zone_group
        assert refusal(opt_in, GroupName="us-east-1-xyz-1", OptInStatus="opted-in")[0] == (
            "InvalidParameterValue"
        )
        assert opt_in(GroupName=DALLAS, OptInStatus="opted-in")["Return"] is True
        assert status() == "opted-in"
        ec2.create_subnet(**wanted)
        assert "Support" in refusal(opt_in, GroupName=DALLAS, OptInStatus="not-opted-in")[1]
    with local_aws("generous"):
        assert status() == "opted-in"
