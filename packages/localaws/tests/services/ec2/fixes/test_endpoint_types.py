"""Tests of services.ec2.fixes.endpoint_types."""

from __future__ import annotations

from packages.localaws.tests.parts import Site, client


def test_an_endpoint_without_a_type_is_a_gateway_endpoint(site: Site) -> None:
    ec2 = client("ec2")
    service = f"com.amazonaws.{ec2.meta.region_name}.s3"
    made = ec2.create_vpc_endpoint(VpcId=site.vpc_id, ServiceName=service)["VpcEndpoint"]
    ids = [made["VpcEndpointId"]]
    (found,) = ec2.describe_vpc_endpoints(VpcEndpointIds=ids)["VpcEndpoints"]
    assert (made["VpcEndpointType"], found["VpcEndpointType"]) == ("Gateway", "Gateway")
    assert ec2.delete_vpc_endpoints(VpcEndpointIds=ids)["Unsuccessful"] == []
