"""Tests of services.ec2.address_checks."""

from __future__ import annotations

from typing import Any

import pytest

from packages.localaws.tests.parts import amazon_image_id, client, refusal

pytestmark = pytest.mark.usefixtures("aws")


def network() -> tuple[str, str, str]:
    """A VPC with an attached internet gateway, and a subnet."""
    ec2 = client("ec2")
    vpc = ec2.create_vpc(CidrBlock="10.0.0.0/16")["Vpc"]["VpcId"]
    subnet = ec2.create_subnet(VpcId=vpc, CidrBlock="10.0.0.0/24")["Subnet"]["SubnetId"]
    gateway = ec2.create_internet_gateway()["InternetGateway"]["InternetGatewayId"]
    ec2.attach_internet_gateway(InternetGatewayId=gateway, VpcId=vpc)
    return vpc, gateway, subnet


def address() -> str:
    return str(client("ec2").allocate_address(Domain="vpc")["AllocationId"])


def detached(vpc: str, gateway: str) -> Any:
    asked = {"InternetGatewayId": gateway, "VpcId": vpc}
    try:
        client("ec2").detach_internet_gateway(**asked)
    except client("ec2").exceptions.ClientError as error:
        return error.response["Error"]["Code"]
    return None


def test_gateway_of_a_nat_gateway_stays() -> None:
    ec2, (vpc, gateway, subnet) = client("ec2"), network()
    allocation = address()
    nat = ec2.create_nat_gateway(SubnetId=subnet, AllocationId=allocation)["NatGateway"]
    assert detached(vpc, gateway) == "DependencyViolation"
    assert refusal(ec2.release_address, AllocationId=allocation)[0] == "InvalidIPAddress.InUse"
    ec2.delete_nat_gateway(NatGatewayId=nat["NatGatewayId"])
    ec2.release_address(AllocationId=allocation)
    assert detached(vpc, gateway) is None


def test_gateway_of_an_elastic_address_stays() -> None:
    ec2, (vpc, gateway, subnet) = client("ec2"), network()
    made = ec2.create_network_interface(SubnetId=subnet)["NetworkInterface"]
    allocation = address()
    association = ec2.associate_address(
        AllocationId=allocation, NetworkInterfaceId=made["NetworkInterfaceId"]
    )["AssociationId"]
    assert detached(vpc, gateway) == "DependencyViolation"
    assert refusal(ec2.release_address, AllocationId=allocation)[0] == "InvalidIPAddress.InUse"
    ec2.disassociate_address(AssociationId=association)
    ec2.release_address(AllocationId=allocation)
    assert detached(vpc, gateway) is None


def test_gateway_of_a_public_instance_stays() -> None:
    ec2, (vpc, gateway, subnet) = client("ec2"), network()
    interface = {"DeviceIndex": 0, "SubnetId": subnet, "AssociatePublicIpAddress": True}
    (made,) = ec2.run_instances(
        ImageId=amazon_image_id(), MinCount=1, MaxCount=1, NetworkInterfaces=[interface]
    )["Instances"]
    assert detached(vpc, gateway) == "DependencyViolation"
    ec2.terminate_instances(InstanceIds=[made["InstanceId"]])
    assert detached(vpc, gateway) is None


def test_address_in_the_default_vpc_is_released() -> None:
    ec2, allocation = client("ec2"), address()
    (made,) = ec2.run_instances(ImageId=amazon_image_id(), MinCount=1, MaxCount=1)["Instances"]
    ec2.associate_address(AllocationId=allocation, InstanceId=made["InstanceId"])
    ec2.release_address(AllocationId=allocation)
    assert ec2.describe_addresses()["Addresses"] == []


@pytest.mark.usefixtures("aws")
@pytest.mark.parametrize(
    ("operation", "name"),
    [("release_address", "AllocationId"), ("disassociate_address", "AssociationId")],
)
def test_an_address_is_named_and_exists(operation: str, name: str) -> None:
    call = getattr(client("ec2"), operation)
    both = {"PublicIp": "192.0.2.1", name: "none"}
    assert refusal(call, **both)[0] == "InvalidParameterCombination"
    assert refusal(call)[0] == "MissingParameter"
    for address in ("0", "192.0.2.1"):
        assert refusal(call, PublicIp=address)[:2] == (
            "InvalidAddress.NotFound",
            f"Address '{address}' not found.",
        )
