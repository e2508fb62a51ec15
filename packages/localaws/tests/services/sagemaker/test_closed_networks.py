"""Tests of services.sagemaker.closed_networks."""

from __future__ import annotations

import pytest

from clusterwright_localaws import local_aws
from packages.localaws.tests.parts import Site, build_site, client, describe

CLOSED = {
    "id": "subnet-0a1b2c3d4e5f60001",
    "vpc_id": "vpc-0a1b2c3d4e5f60001",
    "cidr": "10.0.0.0/20",
    "zone_id": "use1-az6",
    "security_group_ids": ["sg-0a1b2c3d4e5f60001"],
    "closed": True,
}


def cluster_in(site: Site) -> str:
    network = {"Subnets": [CLOSED["id"]], "SecurityGroupIds": CLOSED["security_group_ids"]}
    request = site.request(site.group("workers", 1), VpcConfig=network)
    client("sagemaker").create_cluster(**request)
    return str(describe("train")["ClusterStatus"])


@pytest.mark.parametrize("way", ["none", "other table", "gateway", "open"])
def test_nodes_without_an_s3_route_fail(way: str) -> None:
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
