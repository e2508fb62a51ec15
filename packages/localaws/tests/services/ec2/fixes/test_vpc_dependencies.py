"""Tests of services.ec2.fixes.vpc_dependencies."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from packages.localaws.tests.parts import Site, client, refusal


def group(vpc: str) -> Callable[[], object]:
    made = client("ec2").create_security_group(GroupName="g", Description="g", VpcId=vpc)
    return lambda: client("ec2").delete_security_group(GroupId=made["GroupId"])


def acl(vpc: str) -> Callable[[], object]:
    made = client("ec2").create_network_acl(VpcId=vpc)["NetworkAcl"]["NetworkAclId"]
    return lambda: client("ec2").delete_network_acl(NetworkAclId=made)


def internet_gateway(vpc: str) -> Callable[[], object]:
    ec2 = client("ec2")
    made = ec2.create_internet_gateway()["InternetGateway"]["InternetGatewayId"]
    ec2.attach_internet_gateway(InternetGatewayId=made, VpcId=vpc)
    return lambda: ec2.detach_internet_gateway(InternetGatewayId=made, VpcId=vpc)


def egress_only_gateway(vpc: str) -> Callable[[], object]:
    ec2 = client("ec2")
    made = ec2.create_egress_only_internet_gateway(VpcId=vpc)["EgressOnlyInternetGateway"]
    number = made["EgressOnlyInternetGatewayId"]
    return lambda: ec2.delete_egress_only_internet_gateway(EgressOnlyInternetGatewayId=number)


def endpoint(vpc: str) -> Callable[[], object]:
    ec2 = client("ec2")
    service = f"com.amazonaws.{ec2.meta.region_name}.s3"
    made = ec2.create_vpc_endpoint(VpcId=vpc, ServiceName=service)["VpcEndpoint"]
    return lambda: ec2.delete_vpc_endpoints(VpcEndpointIds=[made["VpcEndpointId"]])


def route_table(vpc: str) -> Callable[[], object]:
    made = client("ec2").create_route_table(VpcId=vpc)["RouteTable"]["RouteTableId"]
    return lambda: client("ec2").delete_route_table(RouteTableId=made)


def acls(vpc: str) -> list[Any]:
    found = client("ec2").describe_network_acls(Filters=[{"Name": "vpc-id", "Values": [vpc]}])
    return list(found["NetworkAcls"])


@pytest.mark.parametrize(
    "make", [group, acl, internet_gateway, egress_only_gateway, endpoint, route_table]
)
@pytest.mark.usefixtures("site")
def test_a_vpc_in_use_cannot_be_deleted(make: Callable[[str], Callable[[], object]]) -> None:
    ec2 = client("ec2")
    vpc = ec2.create_vpc(CidrBlock="10.1.0.0/16")["Vpc"]["VpcId"]
    remove = make(vpc)
    assert refusal(ec2.delete_vpc, VpcId=vpc) == (
        "DependencyViolation",
        f"The vpc '{vpc}' has dependencies and cannot be deleted.",
    )
    remove()
    ec2.delete_vpc(VpcId=vpc)
    assert refusal(ec2.describe_vpcs, VpcIds=[vpc])[0] == "InvalidVpcID.NotFound"


@pytest.mark.usefixtures("site")
def test_the_default_network_acl_is_deleted_with_its_vpc() -> None:
    ec2 = client("ec2")
    vpc = ec2.create_vpc(CidrBlock="10.1.0.0/16")["Vpc"]["VpcId"]
    assert [one["IsDefault"] for one in acls(vpc)] == [True]
    ec2.delete_vpc(VpcId=vpc)
    assert acls(vpc) == []
    assert refusal(ec2.delete_vpc, VpcId=vpc)[0] == "InvalidVpcID.NotFound"


@pytest.mark.usefixtures("site")
def test_a_deleted_subnet_is_associated_with_nothing() -> None:
    ec2 = client("ec2")
    vpc = ec2.create_vpc(CidrBlock="10.1.0.0/16")["Vpc"]["VpcId"]
    subnet = ec2.create_subnet(VpcId=vpc, CidrBlock="10.1.0.0/24")["Subnet"]["SubnetId"]
    made = ec2.create_network_acl(VpcId=vpc)["NetworkAcl"]["NetworkAclId"]
    (association,) = (one for found in acls(vpc) for one in found["Associations"])
    ec2.replace_network_acl_association(
        AssociationId=association["NetworkAclAssociationId"], NetworkAclId=made
    )
    table = ec2.create_route_table(VpcId=vpc)["RouteTable"]["RouteTableId"]
    ec2.associate_route_table(RouteTableId=table, SubnetId=subnet)
    ec2.delete_subnet(SubnetId=subnet)
    ec2.delete_route_table(RouteTableId=table)
    assert [found["Associations"] for found in acls(vpc)] == [[], []]
    ec2.delete_network_acl(NetworkAclId=made)


def test_a_subnet_that_is_not_deleted_keeps_its_network_acl(site: Site) -> None:
    ec2 = client("ec2")
    ec2.create_network_interface(SubnetId=site.subnet_id)
    before = acls(site.vpc_id)
    assert refusal(ec2.delete_subnet, SubnetId=site.subnet_id)[0] == "DependencyViolation"
    assert acls(site.vpc_id) == before
