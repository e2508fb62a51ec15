"""Tests of services.ec2.fixes.endpoint_names."""

from __future__ import annotations

import pytest

from packages.localaws.tests.parts import REGION, client


@pytest.mark.parametrize(
    ("service", "host"),
    [("logs", "logs"), ("ecr.dkr", "dkr.ecr"), ("sagemaker.api", "api.sagemaker")],
)
@pytest.mark.usefixtures("aws")
def test_the_name_of_an_interface_endpoint(service: str, host: str) -> None:
    ec2 = client("ec2")
    vpc = ec2.create_vpc(CidrBlock="10.0.0.0/16")["Vpc"]["VpcId"]
    endpoint = ec2.create_vpc_endpoint(
        VpcId=vpc, ServiceName=f"com.amazonaws.{REGION}.{service}", VpcEndpointType="Interface"
    )["VpcEndpoint"]
    name = endpoint["DnsEntries"][0]["DnsName"]
    assert name.startswith(f"{endpoint['VpcEndpointId']}-")
    assert name.endswith(f".{host}.{REGION}.vpce.amazonaws.com")
    assert name.count("com.") == 0


@pytest.mark.usefixtures("aws")
def test_an_endpoint_has_a_name_in_each_zone_of_its_subnets() -> None:
    ec2 = client("ec2")
    vpc = ec2.create_vpc(CidrBlock="10.0.0.0/16")["Vpc"]["VpcId"]
    subnets = [
        ec2.create_subnet(VpcId=vpc, CidrBlock=f"10.0.{number}.0/24", AvailabilityZone=zone)
        for number, zone in enumerate((f"{REGION}b", f"{REGION}a", f"{REGION}c"))
    ]
    first, second, third = (one["Subnet"]["SubnetId"] for one in subnets)
    endpoint = ec2.create_vpc_endpoint(
        VpcId=vpc,
        ServiceName=f"com.amazonaws.{REGION}.logs",
        VpcEndpointType="Interface",
        SubnetIds=[first],
    )["VpcEndpoint"]
    found = endpoint["VpcEndpointId"]

    def zones() -> list[str]:
        (now,) = ec2.describe_vpc_endpoints(VpcEndpointIds=[found])["VpcEndpoints"]
        regional, *zonal = [entry["DnsName"] for entry in now["DnsEntries"]]
        name, _, rest = regional.partition(".")
        assert rest == f"logs.{REGION}.vpce.amazonaws.com"
        return [each.removeprefix(f"{name}-").removesuffix(f".{rest}") for each in zonal]

    assert zones() == [f"{REGION}b"]
    ec2.modify_vpc_endpoint(VpcEndpointId=found, AddSubnetIds=[second, third])
    assert zones() == [f"{REGION}a", f"{REGION}b", f"{REGION}c"]
    ec2.modify_vpc_endpoint(VpcEndpointId=found, RemoveSubnetIds=[first])
    assert zones() == [f"{REGION}a", f"{REGION}c"]
