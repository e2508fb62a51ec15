"""Quotas that EC2, RDS, KMS and S3 enforce, local zones, and networks that the world closes."""

from __future__ import annotations

from typing import Any

import pytest

from clusterwright_localaws import local_aws
from packages.localaws.tests.parts import Site, build_site, client, describe, refusal

CLOSED = {
    "id": "subnet-0a1b2c3d4e5f60001",
    "vpc_id": "vpc-0a1b2c3d4e5f60001",
    "cidr": "10.0.0.0/20",
    "zone_id": "use1-az6",
    "security_group_ids": ["sg-0a1b2c3d4e5f60001"],
    "closed": True,
}
DALLAS = "us-east-1-dfw-2"


def test_rules_of_a_security_group_are_counted_in_each_direction() -> None:
    with local_aws("generous", quotas={"vpc/L-0EA8095F": 2}):
        site, ec2 = build_site(), client("ec2")

        def rule(port: int) -> list[dict[str, Any]]:
            itself = [{"GroupId": site.group_id}]
            pairs = {"UserIdGroupPairs": itself, "FromPort": port, "ToPort": port}
            return [{"IpProtocol": "tcp", **pairs}]

        for port in (1, 2):
            ec2.authorize_security_group_ingress(GroupId=site.group_id, IpPermissions=rule(port))
        code, _ = refusal(
            ec2.authorize_security_group_ingress, GroupId=site.group_id, IpPermissions=rule(3)
        )
        assert code == "RulesPerSecurityGroupLimitExceeded"
        # EC2's own rule to everywhere is one of two; the other direction has room for one.
        ec2.authorize_security_group_egress(GroupId=site.group_id, IpPermissions=rule(1))


def test_the_worlds_own_buckets_do_not_need_its_quota() -> None:
    with local_aws("generous", quotas={"s3/L-DC2B2D3D": 1}):
        s3 = client("s3")
        s3.create_bucket(Bucket="first")
        assert refusal(s3.create_bucket, Bucket="second")[0] == "TooManyBuckets"
        s3.delete_bucket(Bucket="first")
        s3.create_bucket(Bucket="second")


def test_interfaces_are_counted_by_zone() -> None:
    with local_aws("generous", quotas={"vpc/L-DF5E4CA3": 1}):
        site, ec2 = build_site(), client("ec2")
        ec2.create_network_interface(SubnetId=site.subnet_id)
        code, _ = refusal(ec2.create_network_interface, SubnetId=site.subnet_id)
        assert code == "NetworkInterfaceLimitExceeded"
        elsewhere = ec2.create_subnet(
            VpcId=site.vpc_id, CidrBlock="10.0.254.0/24", AvailabilityZoneId="use1-az2"
        )["Subnet"]["SubnetId"]
        ec2.create_network_interface(SubnetId=elsewhere)


def status() -> str:
    found = client("ec2").describe_availability_zones(
        AllAvailabilityZones=True, ZoneNames=[f"{DALLAS}a"]
    )["AvailabilityZones"][0]
    assert found["GroupName"] == DALLAS
    return str(found["OptInStatus"])


def test_a_local_zone_takes_nothing_until_the_account_opts_in() -> None:
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


def cluster_in(site: Site) -> str:
    network = {"Subnets": [CLOSED["id"]], "SecurityGroupIds": CLOSED["security_group_ids"]}
    request = site.request(site.group("workers", 1), VpcConfig=network)
    client("sagemaker").create_cluster(**request)
    return str(describe("train")["ClusterStatus"])


@pytest.mark.parametrize("way", ["none", "other table", "gateway", "open"])
def test_nodes_of_a_closed_network_fetch_no_scripts(way: str) -> None:
    subnet = {**CLOSED, "closed": way != "open"}
    with local_aws("generous", subnets=[subnet]):
        site, ec2 = build_site(), client("ec2")
        tables = ec2.describe_route_tables(
            Filters=[{"Name": "vpc-id", "Values": [CLOSED["vpc_id"]]}]
        )["RouteTables"]
        routes = [route for table in tables for route in table["Routes"]]
        leads_out = any(route.get("TransitGatewayId") for route in routes)
        assert leads_out is (way == "open")
        if way in ("gateway", "other table"):
            table = tables[0]["RouteTableId"]
            if way == "other table":
                table = ec2.create_route_table(VpcId=CLOSED["vpc_id"])["RouteTable"][
                    "RouteTableId"
                ]
            ec2.create_vpc_endpoint(
                VpcId=CLOSED["vpc_id"],
                ServiceName="com.amazonaws.us-east-1.s3",
                RouteTableIds=[table],
            )
        reaches = way in ("gateway", "open")
        assert cluster_in(site) == ("InService" if reaches else "Failed")
