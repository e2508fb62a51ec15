import boto3
import pytest
from botocore.exceptions import ClientError

from moto import mock_aws


def create_network(client):
    vpc_id = client.create_vpc(CidrBlock="10.0.0.0/16")["Vpc"]["VpcId"]
    subnet_ids = [
        client.create_subnet(VpcId=vpc_id, CidrBlock=f"10.0.{index}.0/24")["Subnet"][
            "SubnetId"
        ]
        for index in range(2)
    ]
    return vpc_id, subnet_ids


def create_endpoint(client, vpc_id, subnet_id, **kwargs):
    return client.create_vpc_endpoint(
        VpcId=vpc_id,
        VpcEndpointType="Interface",
        ServiceName="com.amazonaws.us-east-1.ssm",
        SubnetIds=[subnet_id],
        **kwargs,
    )["VpcEndpoint"]


def describe_interfaces(client, endpoint_id):
    found = client.describe_vpc_endpoints(VpcEndpointIds=[endpoint_id])["VpcEndpoints"]
    return client.describe_network_interfaces(
        NetworkInterfaceIds=found[0]["NetworkInterfaceIds"]
    )["NetworkInterfaces"]


@mock_aws
def test_interface_endpoint_follows_groups_and_subnets() -> None:
    client = boto3.client("ec2", region_name="us-east-1")
    vpc_id, subnet_ids = create_network(client)
    group_ids = [
        client.create_security_group(GroupName=name, Description=name, VpcId=vpc_id)[
            "GroupId"
        ]
        for name in ("one", "two")
    ]
    endpoint = create_endpoint(
        client, vpc_id, subnet_ids[0], SecurityGroupIds=group_ids[:1]
    )
    endpoint_id = endpoint["VpcEndpointId"]
    (interface,) = describe_interfaces(client, endpoint_id)
    assert [group["GroupId"] for group in interface["Groups"]] == group_ids[:1]
    assert interface["InterfaceType"] == "vpc_endpoint"
    assert interface["Status"] == "in-use"

    client.modify_vpc_endpoint(
        VpcEndpointId=endpoint_id,
        AddSubnetIds=subnet_ids[1:],
        RemoveSubnetIds=subnet_ids[:1],
        AddSecurityGroupIds=group_ids[1:],
        RemoveSecurityGroupIds=group_ids[:1],
    )
    (interface,) = describe_interfaces(client, endpoint_id)
    assert interface["SubnetId"] == subnet_ids[1]
    assert [group["GroupId"] for group in interface["Groups"]] == group_ids[1:]
    assert len(client.describe_network_interfaces()["NetworkInterfaces"]) == 1


@mock_aws
def test_interface_endpoint_without_groups_has_the_default_group() -> None:
    client = boto3.client("ec2", region_name="us-east-1")
    vpc_id, subnet_ids = create_network(client)
    endpoint = create_endpoint(client, vpc_id, subnet_ids[0])
    assert [group["GroupName"] for group in endpoint["Groups"]] == ["default"]


@mock_aws
def test_interface_endpoint_with_unknown_group() -> None:
    client = boto3.client("ec2", region_name="us-east-1")
    vpc_id, subnet_ids = create_network(client)
    with pytest.raises(ClientError) as exc:
        create_endpoint(
            client, vpc_id, subnet_ids[0], SecurityGroupIds=["sg-0123456789abcdef0"]
        )
    assert exc.value.response["Error"]["Code"] == "InvalidGroup.NotFound"


@mock_aws
def test_gateway_endpoint_follows_route_tables() -> None:
    client = boto3.client("ec2", region_name="us-east-1")
    vpc_id, _ = create_network(client)
    table_ids = [
        client.create_route_table(VpcId=vpc_id)["RouteTable"]["RouteTableId"]
        for _ in range(2)
    ]
    endpoint_id = client.create_vpc_endpoint(
        VpcId=vpc_id,
        VpcEndpointType="Gateway",
        ServiceName="com.amazonaws.us-east-1.s3",
        RouteTableIds=table_ids[:1],
    )["VpcEndpoint"]["VpcEndpointId"]
    client.modify_vpc_endpoint(
        VpcEndpointId=endpoint_id,
        AddRouteTableIds=table_ids[1:],
        RemoveRouteTableIds=table_ids[:1],
    )
    tables = client.describe_route_tables(RouteTableIds=table_ids)["RouteTables"]
    routed = [
        table["RouteTableId"]
        for table in tables
        if any(route.get("GatewayId") == endpoint_id for route in table["Routes"])
    ]
    assert routed == table_ids[1:]


@mock_aws
def test_modify_private_dns_and_policy_of_endpoint() -> None:
    client = boto3.client("ec2", region_name="us-east-1")
    vpc_id, subnet_ids = create_network(client)
    endpoint = create_endpoint(client, vpc_id, subnet_ids[0], PrivateDnsEnabled=False)
    default_policy = endpoint["PolicyDocument"]
    endpoint_id = endpoint["VpcEndpointId"]
    client.modify_vpc_endpoint(VpcEndpointId=endpoint_id, PolicyDocument="{}")
    client.modify_vpc_endpoint(
        VpcEndpointId=endpoint_id, PrivateDnsEnabled=True, ResetPolicy=True
    )
    found = client.describe_vpc_endpoints(VpcEndpointIds=[endpoint_id])["VpcEndpoints"][
        0
    ]
    assert found["PrivateDnsEnabled"] is True
    assert found["PolicyDocument"] == default_policy


@mock_aws
def test_deleted_nat_gateway_releases_its_interface_and_address() -> None:
    client = boto3.client("ec2", region_name="us-east-1")
    _, subnet_ids = create_network(client)
    allocation_id = client.allocate_address(Domain="vpc")["AllocationId"]
    gateway = client.create_nat_gateway(
        SubnetId=subnet_ids[0], AllocationId=allocation_id
    )["NatGateway"]
    client.delete_nat_gateway(NatGatewayId=gateway["NatGatewayId"])

    assert client.describe_network_interfaces()["NetworkInterfaces"] == []
    address = client.describe_addresses(AllocationIds=[allocation_id])["Addresses"][0]
    assert "AssociationId" not in address
