"""Tests of services.ec2.fixes.subnet_ipv6."""

from __future__ import annotations

from clusterwright_localaws import local_aws
from packages.localaws.tests.parts import client


def test_a_subnet_has_the_state_of_its_ipv6_block_until_it_is_disassociated() -> None:
    with local_aws():
        ec2 = client("ec2")
        vpc = ec2.create_vpc(CidrBlock="10.0.0.0/16", AmazonProvidedIpv6CidrBlock=True)["Vpc"]
        (found,) = ec2.describe_vpcs(VpcIds=[vpc["VpcId"]])["Vpcs"]
        (of_vpc,) = found["Ipv6CidrBlockAssociationSet"]
        assert of_vpc["Ipv6CidrBlockState"] == {"State": "associated"}
        block = of_vpc["Ipv6CidrBlock"].replace("::/56", "::/64")
        made = ec2.create_subnet(VpcId=vpc["VpcId"], CidrBlock="10.0.0.0/24", Ipv6CidrBlock=block)[
            "Subnet"
        ]
        (association,) = made["Ipv6CidrBlockAssociationSet"]
        assert association["Ipv6CidrBlock"] == block
        assert association["Ipv6CidrBlockState"] == {"State": "associated"}
        ec2.disassociate_subnet_cidr_block(AssociationId=association["AssociationId"])
        (after,) = ec2.describe_subnets(SubnetIds=[made["SubnetId"]])["Subnets"]
        assert after["Ipv6CidrBlockAssociationSet"] == []
