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
