"""Tests of services.ec2.fixes.gateway_delays."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from botocore.exceptions import ClientError

from clusterwright_localaws import local_aws
from clusterwright_localaws.core.runtime import Runtime
from packages.localaws.tests.cloudformation.stacks import (
    aws,
)

SLOW = {"database": 60, "nat_gateway": 60, "endpoint": 60, "workspace": 60}


@pytest.fixture
def slow() -> Iterator[Runtime]:
    with local_aws(delays=SLOW) as runtime:
        yield runtime


def refusal(call: Callable[..., Any], **parameters: Any) -> tuple[str, str]:
    with pytest.raises(ClientError) as caught:
        call(**parameters)
    error = caught.value.response["Error"]
    return error["Code"], error["Message"]


class TestGateways:
    def test_nat_gateway_is_available_after_its_delay(self, slow: Runtime) -> None:
        ec2 = aws("ec2")
        vpc = ec2.create_vpc(CidrBlock="10.0.0.0/16")["Vpc"]["VpcId"]
        subnet = ec2.create_subnet(VpcId=vpc, CidrBlock="10.0.0.0/24")["Subnet"]["SubnetId"]
        address = ec2.allocate_address(Domain="vpc")["AllocationId"]
        made = ec2.create_nat_gateway(SubnetId=subnet, AllocationId=address)["NatGateway"]
        item = made["NatGatewayId"]

        def state() -> str:
            found = ec2.describe_nat_gateways(NatGatewayIds=[item])["NatGateways"]
            return str(found[0]["State"])

        assert made["State"] == state() == "pending"
        slow.clock.advance(61)
        assert state() == "available"
        ec2.delete_nat_gateway(NatGatewayId=item)
        assert state() == "deleting"
        # It keeps its interface and its address until it is deleted.
        assert refusal(ec2.delete_subnet, SubnetId=subnet)[0] == "DependencyViolation"
        slow.clock.advance(61)
        assert state() == "deleted"
        ec2.delete_subnet(SubnetId=subnet)
        ec2.release_address(AllocationId=address)
        assert refusal(ec2.delete_nat_gateway, NatGatewayId=item)[0] == "NatGatewayNotFound"

    def test_only_interface_endpoints_are_delayed(self, slow: Runtime) -> None:
        ec2 = aws("ec2")
        vpc = ec2.create_vpc(CidrBlock="10.0.0.0/16")["Vpc"]["VpcId"]
        subnet = ec2.create_subnet(VpcId=vpc, CidrBlock="10.0.0.0/24")["Subnet"]["SubnetId"]
        interface = ec2.create_vpc_endpoint(
            VpcId=vpc,
            VpcEndpointType="Interface",
            ServiceName="com.amazonaws.us-east-1.ssm",
            SubnetIds=[subnet],
        )["VpcEndpoint"]
        gateway = ec2.create_vpc_endpoint(
            VpcId=vpc, VpcEndpointType="Gateway", ServiceName="com.amazonaws.us-east-1.s3"
        )["VpcEndpoint"]
        assert (interface["State"], gateway["State"]) == ("pending", "available")
        slow.clock.advance(61)
        ids = [interface["VpcEndpointId"]]
        (found,) = ec2.describe_vpc_endpoints(VpcEndpointIds=ids)["VpcEndpoints"]
        assert found["State"] == "available"
        ec2.delete_vpc_endpoints(VpcEndpointIds=ids)
        (found,) = ec2.describe_vpc_endpoints(VpcEndpointIds=ids)["VpcEndpoints"]
        assert found["State"] == "deleting"
        slow.clock.advance(61)
        ec2.delete_subnet(SubnetId=subnet)
