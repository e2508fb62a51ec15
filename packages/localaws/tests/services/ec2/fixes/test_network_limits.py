"""Quotas of VPCs, addresses and NAT gateways."""

from __future__ import annotations

from typing import Any

from clusterwright_localaws import local_aws
from packages.localaws.tests.parts import client, refusal


def test_vpcs_beyond_the_quota_are_refused_and_the_default_one_counts() -> None:
    with local_aws(quotas={"vpc/L-F678F1CE": 2}):
        ec2 = client("ec2")
        ec2.create_vpc(CidrBlock="10.0.0.0/16")
        assert refusal(ec2.create_vpc, CidrBlock="10.1.0.0/16") == (
            "VpcLimitExceeded",
            "The maximum number of VPCs has been reached.",
        )


def test_addresses_beyond_the_quota_are_refused() -> None:
    with local_aws(quotas={"ec2/L-0263D0A3": 1}):
        ec2 = client("ec2")
        ec2.allocate_address(Domain="vpc")
        assert refusal(ec2.allocate_address, Domain="vpc")[0] == "AddressLimitExceeded"


def test_nat_gateways_are_counted_by_zone() -> None:
    with local_aws(quotas={"vpc/L-FE5A380F": 1}):
        ec2 = client("ec2")
        vpc = ec2.create_vpc(CidrBlock="10.0.0.0/16")["Vpc"]["VpcId"]
        first, second = (
            ec2.create_subnet(VpcId=vpc, CidrBlock=block, AvailabilityZone=zone)["Subnet"]
            for block, zone in (("10.0.0.0/24", "us-east-1a"), ("10.0.1.0/24", "us-east-1b"))
        )

        def request(subnet: dict[str, Any]) -> dict[str, Any]:
            address = ec2.allocate_address(Domain="vpc")["AllocationId"]
            return {"SubnetId": subnet["SubnetId"], "AllocationId": address}

        ec2.create_nat_gateway(**request(first))
        code, message = refusal(ec2.create_nat_gateway, **request(first))
        assert (code, message) == (
            "NatGatewayLimitExceeded",
            "The maximum number of NAT gateways has been reached.",
        )
        assert ec2.create_nat_gateway(**request(second))["NatGateway"]["NatGatewayId"]


def test_usage_by_others_counts() -> None:
    with local_aws(quotas={"ec2/L-0263D0A3": 3}, usage={"ec2/L-0263D0A3": 3}):
        assert refusal(client("ec2").allocate_address)[0] == "AddressLimitExceeded"
