"""Tests of services.ec2.fixes.refusal_texts."""

from __future__ import annotations

from typing import Any

import pytest

from packages.localaws.tests.parts import client, refusal

pytestmark = pytest.mark.usefixtures("aws")
_GATEWAY, _VPC = "igw-0123456789abcdef0", "vpc-0123456789abcdef0"


@pytest.mark.parametrize(
    ("operation", "asked", "expected"),
    [
        (
            "describe_vpcs",
            {"VpcIds": [_VPC]},
            ("InvalidVpcID.NotFound", f"The vpc ID '{_VPC}' does not exist"),
        ),
        (
            "describe_vpcs",
            {"VpcIds": ["vpc-02", "vpc-01"]},
            ("InvalidVpcID.NotFound", "The vpc IDs 'vpc-01, vpc-02' do not exist"),
        ),
        (
            "release_address",
            {"AllocationId": "eipalloc-01"},
            ("InvalidAllocationID.NotFound", "The allocation ID 'eipalloc-01' does not exist"),
        ),
        (
            "disassociate_address",
            {"AssociationId": "eipassoc-01"},
            ("InvalidAssociationID.NotFound", "The association ID 'eipassoc-01' does not exist"),
        ),
        (
            "describe_dhcp_options",
            {"DhcpOptionsIds": ["dopt-01"]},
            ("InvalidDhcpOptionID.NotFound", "The dhcpOption ID 'dopt-01' does not exist"),
        ),
        (
            "delete_internet_gateway",
            {"InternetGatewayId": _GATEWAY},
            (
                "InvalidInternetGatewayID.NotFound",
                f"The internetGateway ID '{_GATEWAY}' does not exist",
            ),
        ),
        (
            "delete_vpc_peering_connection",
            {"VpcPeeringConnectionId": "pcx-01"},
            (
                "InvalidVpcPeeringConnectionID.NotFound",
                "The vpcPeeringConnection ID 'pcx-01' does not exist",
            ),
        ),
    ],
)
def test_an_unknown_id_is_named(operation: str, asked: Any, expected: tuple[str, str]) -> None:
    assert refusal(getattr(client("ec2"), operation), **asked)[:2] == expected


def test_only_the_unknown_address_is_named() -> None:
    ec2 = client("ec2")
    address = ec2.allocate_address(Domain="vpc")["AllocationId"]
    found = refusal(ec2.describe_addresses, AllocationIds=[address, "eipalloc-01"])
    assert found[1] == "The allocation ID 'eipalloc-01' does not exist"


@pytest.mark.parametrize(
    ("permission", "described"),
    [
        (
            {
                "IpProtocol": "tcp",
                "FromPort": 22,
                "ToPort": 22,
                "IpRanges": [{"CidrIp": "10.0.0.0/8"}],
            },
            "peer: 10.0.0.0/8, TCP, from port: 22, to port: 22, ALLOW",
        ),
        (
            {"IpProtocol": "-1", "IpRanges": [{"CidrIp": "10.0.0.0/8"}]},
            "peer: 10.0.0.0/8, ALL, ALLOW",
        ),
        (
            {
                "IpProtocol": "50",
                "FromPort": -1,
                "ToPort": -1,
                "IpRanges": [{"CidrIp": "0.0.0.0/0"}],
            },
            "peer: 0.0.0.0/0, protocol: 50, ALLOW",
        ),
        (
            {
                "IpProtocol": "udp",
                "FromPort": 1,
                "ToPort": 9,
                "Ipv6Ranges": [{"CidrIpv6": "::/0"}],
            },
            "peer: ::/0, UDP, from port: 1, to port: 9, ALLOW",
        ),
    ],
)
def test_a_duplicate_rule_is_described(permission: Any, described: str) -> None:
    ec2 = client("ec2")
    group = ec2.create_security_group(GroupName="g", Description="g")["GroupId"]
    asked = {"GroupId": group, "IpPermissions": [permission]}
    ec2.authorize_security_group_ingress(**asked)
    assert refusal(ec2.authorize_security_group_ingress, **asked)[:2] == (
        "InvalidPermission.Duplicate",
        f'the specified rule "{described}" already exists',
    )


def test_a_duplicate_rule_of_a_group_names_the_group() -> None:
    ec2 = client("ec2")
    group = ec2.create_security_group(GroupName="g", Description="g")["GroupId"]
    pairs = [{"GroupId": group}]
    rule = {"IpProtocol": "-1", "UserIdGroupPairs": pairs}
    asked = {"GroupId": group, "IpPermissions": [rule]}
    ec2.authorize_security_group_egress(**asked)
    found = refusal(ec2.authorize_security_group_egress, **asked)
    assert found[1] == f'the specified rule "peer: {group}, ALL, ALLOW" already exists'


def test_a_rule_that_does_not_exist() -> None:
    ec2 = client("ec2")
    group = ec2.create_security_group(GroupName="g", Description="g")["GroupId"]
    rule = {"IpProtocol": "-1", "IpRanges": [{"CidrIp": "10.0.0.0/8"}]}
    found = refusal(ec2.revoke_security_group_ingress, GroupId=group, IpPermissions=[rule])
    assert found[1] == "The specified rule does not exist in this security group."


def test_a_duplicate_group_names_its_vpc() -> None:
    ec2 = client("ec2")
    vpc = ec2.create_vpc(CidrBlock="10.1.0.0/16")["Vpc"]["VpcId"]
    default = ec2.describe_vpcs(Filters=[{"Name": "is-default", "Values": ["true"]}])["Vpcs"]
    for place, expected in (({"VpcId": vpc}, vpc), ({}, default[0]["VpcId"])):
        asked = {"GroupName": "g", "Description": "g", **place}
        ec2.create_security_group(**asked)
        assert refusal(ec2.create_security_group, **asked)[:2] == (
            "InvalidGroup.Duplicate",
            f"The security group 'g' already exists for VPC '{expected}'",
        )


def test_internet_gateways_and_networks() -> None:
    ec2 = client("ec2")
    vpc = ec2.create_vpc(CidrBlock="10.1.0.0/16")["Vpc"]["VpcId"]
    first, second = (
        ec2.create_internet_gateway()["InternetGateway"]["InternetGatewayId"] for _ in range(2)
    )
    asked = {"InternetGatewayId": second, "VpcId": vpc}
    assert refusal(ec2.detach_internet_gateway, **asked)[:2] == (
        "Gateway.NotAttached",
        f"resource {second} is not attached to network {vpc}",
    )
    ec2.attach_internet_gateway(InternetGatewayId=first, VpcId=vpc)
    assert refusal(ec2.attach_internet_gateway, InternetGatewayId=first, VpcId=vpc)[:2] == (
        "Resource.AlreadyAssociated",
        f"resource {first} is already attached to network {vpc}",
    )
    assert refusal(ec2.attach_internet_gateway, **asked)[:2] == (
        "InvalidParameterValue",
        f"Network {vpc} already has an internet gateway attached",
    )
