"""Tests of services.ec2.fixes.express_prefix_list."""

from __future__ import annotations

from typing import Any

from packages.localaws.tests.parts import Site, client


def test_a_gateway_endpoint_of_s3_express_has_routes_and_is_deleted(site: Site) -> None:
    ec2 = client("ec2")
    name = f"com.amazonaws.{ec2.meta.region_name}.s3express"
    table = ec2.create_route_table(VpcId=site.vpc_id)["RouteTable"]["RouteTableId"]
    for _ in range(2):
        made = ec2.create_vpc_endpoint(VpcId=site.vpc_id, ServiceName=name, RouteTableIds=[table])[
            "VpcEndpoint"
        ]
        names = {"Filters": [{"Name": "prefix-list-name", "Values": [name]}]}
        (listed,) = ec2.describe_managed_prefix_lists(**names)["PrefixLists"]
        assert listed["OwnerId"] == "AWS"
        assert listed["PrefixListId"] in _targets(ec2, table)
        deleted = ec2.delete_vpc_endpoints(VpcEndpointIds=[made["VpcEndpointId"]])
        assert deleted["Unsuccessful"] == []
        assert listed["PrefixListId"] not in _targets(ec2, table)
    ec2.delete_route_table(RouteTableId=table)


def _targets(ec2: Any, table: str) -> set[str | None]:
    (found,) = ec2.describe_route_tables(RouteTableIds=[table])["RouteTables"]
    return {route.get("DestinationPrefixListId") for route in found["Routes"]}
