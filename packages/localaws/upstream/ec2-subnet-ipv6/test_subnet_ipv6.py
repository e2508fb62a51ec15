import boto3

from moto import mock_aws


@mock_aws
def test_subnet_has_state_of_ipv6_block() -> None:
    client = boto3.client("ec2", region_name="us-east-1")
    vpc_id = client.create_vpc(
        CidrBlock="10.0.0.0/16", AmazonProvidedIpv6CidrBlock=True
    )["Vpc"]["VpcId"]
    vpc = client.describe_vpcs(VpcIds=[vpc_id])["Vpcs"][0]
    block = vpc["Ipv6CidrBlockAssociationSet"][0]["Ipv6CidrBlock"]
    subnet = client.create_subnet(
        VpcId=vpc_id,
        CidrBlock="10.0.0.0/24",
        Ipv6CidrBlock=block.replace("::/56", "::/64"),
    )["Subnet"]
    association = subnet["Ipv6CidrBlockAssociationSet"][0]
    assert association["Ipv6CidrBlockState"] == {"State": "associated"}
    described = client.describe_subnets(SubnetIds=[subnet["SubnetId"]])["Subnets"][0]
    association = described["Ipv6CidrBlockAssociationSet"][0]
    assert association["Ipv6CidrBlockState"] == {"State": "associated"}
