"""Tests of services.ec2.network_checks."""

from __future__ import annotations

from typing import Any

import pytest

from packages.localaws.tests.parts import client, refusal


@pytest.mark.parametrize(
    ("operation", "parameter", "one", "code"),
    [
        ("describe_nat_gateways", "NatGatewayIds", "nat-0a", "NatGatewayNotFound"),
        ("describe_network_acls", "NetworkAclIds", "acl-0a", "InvalidNetworkAclID.NotFound"),
        (
            "describe_vpc_peering_connections",
            "VpcPeeringConnectionIds",
            "pcx-0a",
            "InvalidVpcPeeringConnectionID.NotFound",
        ),
        ("describe_flow_logs", "FlowLogIds", "fl-0a", "InvalidFlowLogId.NotFound"),
        (
            "describe_customer_gateways",
            "CustomerGatewayIds",
            "cgw-0a",
            "InvalidCustomerGatewayID.NotFound",
        ),
        ("describe_instances", "InstanceIds", "none", "InvalidInstanceID.Malformed"),
        ("describe_instances", "InstanceIds", "vol-0a", "InvalidInstanceID.Malformed"),
        ("describe_subnets", "SubnetIds", "subnet-!", "InvalidSubnetID.Malformed"),
        ("describe_subnets", "SubnetIds", "subnet-0a", "InvalidSubnetID.NotFound"),
        ("terminate_instances", "InstanceIds", "0", "InvalidInstanceID.Malformed"),
    ],
)
@pytest.mark.usefixtures("aws")
def test_ids(operation: str, parameter: str, one: str, code: str) -> None:
    found = refusal(getattr(client("ec2"), operation), **{parameter: [one]})
    assert found[0] == code
    assert one in found[1]


def vpc() -> str:
    return str(client("ec2").create_vpc(CidrBlock="10.0.0.0/16")["Vpc"]["VpcId"])


def of(vpc_id: str) -> Any:
    return [{"Name": "vpc-id", "Values": [vpc_id]}]


@pytest.mark.usefixtures("aws")
def test_existing_ids_are_answered() -> None:
    ec2, one = client("ec2"), vpc()
    (acl,) = ec2.describe_network_acls(Filters=of(one))["NetworkAcls"]
    named = ec2.describe_network_acls(NetworkAclIds=[acl["NetworkAclId"]])["NetworkAcls"]
    assert [found["VpcId"] for found in named] == [one]


@pytest.mark.parametrize(("block", "refused"), [("/29", True), ("/28", False), ("/16", False)])
@pytest.mark.usefixtures("aws")
def test_sizes_of_subnets(block: str, refused: bool) -> None:
    asked = {"VpcId": vpc(), "CidrBlock": f"10.0.0.0{block}"}
    if refused:
        assert refusal(client("ec2").create_subnet, **asked)[0] == "InvalidSubnet.Range"
    else:
        client("ec2").create_subnet(**asked)


@pytest.mark.usefixtures("aws")
def test_what_comes_with_a_vpc_stays_until_its_deletion() -> None:
    ec2, one = client("ec2"), vpc()
    (group,) = ec2.describe_security_groups(Filters=of(one))["SecurityGroups"]
    (table,) = ec2.describe_route_tables(Filters=of(one))["RouteTables"]
    assert refusal(ec2.delete_security_group, GroupId=group["GroupId"])[0] == "CannotDelete"
    code, _ = refusal(ec2.delete_route_table, RouteTableId=table["RouteTableId"])
    assert code == "DependencyViolation"
    asked = {"GroupName": "default", "Description": "x", "VpcId": one}
    assert refusal(ec2.create_security_group, **asked)[0] == "InvalidGroup.Reserved"
    ec2.delete_vpc(VpcId=one)
    assert ec2.describe_route_tables(Filters=of(one))["RouteTables"] == []


@pytest.mark.usefixtures("aws")
def test_other_groups_and_tables_are_deleted() -> None:
    ec2, one = client("ec2"), vpc()
    group = ec2.create_security_group(GroupName="g", Description="x", VpcId=one)["GroupId"]
    table = ec2.create_route_table(VpcId=one)["RouteTable"]["RouteTableId"]
    ec2.delete_security_group(GroupId=group)
    ec2.delete_route_table(RouteTableId=table)
    assert len(ec2.describe_route_tables(Filters=of(one))["RouteTables"]) == 1


@pytest.mark.parametrize(
    ("more", "code"),
    [
        ({}, "MissingParameter"),
        ({"Ipv6Native": True}, "MissingParameter"),
        ({"Ipv6Native": True, "Ipv6CidrBlock": "2001:db8::/64"}, "UnsupportedOperation"),
    ],
)
@pytest.mark.usefixtures("aws")
def test_subnets_need_an_ipv4_range(more: dict[str, Any], code: str) -> None:
    ec2 = client("ec2")
    vpc = ec2.create_vpc(CidrBlock="10.0.0.0/16")["Vpc"]["VpcId"]
    assert refusal(ec2.create_subnet, VpcId=vpc, **more)[0] == code
