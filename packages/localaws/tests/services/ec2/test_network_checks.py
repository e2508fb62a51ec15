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
    assert refusal(ec2.create_security_group, **asked)[1] == (
        "Cannot use reserved security group name: default"
    )
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


@pytest.mark.usefixtures("aws")
def test_one_attribute_of_a_vpc_is_modified_at_a_time() -> None:
    ec2 = client("ec2")
    vpc = ec2.create_vpc(CidrBlock="10.0.0.0/16")["Vpc"]["VpcId"]
    on = {"Value": True}
    found = refusal(
        ec2.modify_vpc_attribute, VpcId=vpc, EnableDnsSupport=on, EnableDnsHostnames=on
    )
    assert found[:2] == (
        "InvalidParameterCombination",
        "Fields for multiple attribute types specified: enableDnsHostnames, enableDnsSupport",
    )


@pytest.mark.usefixtures("aws")
def test_instance_types_that_do_not_exist() -> None:
    ec2 = client("ec2")
    asked = {"InstanceTypes": ["p5.48xlarge", "p99.large", "q1.small"]}
    assert refusal(ec2.describe_instance_types, **asked)[:2] == (
        "InvalidInstanceType",
        "The following supplied instance types do not exist: [p99.large, q1.small]",
    )
    launch = {"ImageId": "ami-0123456789abcdef0", "MinCount": 1, "MaxCount": 1}
    assert refusal(ec2.run_instances, InstanceType="t9.huge", **launch)[:2] == (
        "InvalidParameterValue",
        "Invalid value 't9.huge' for InstanceType.",
    )
