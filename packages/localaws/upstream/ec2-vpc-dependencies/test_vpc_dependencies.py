import boto3
import pytest
from botocore.exceptions import ClientError

from moto import mock_aws


@mock_aws
@pytest.mark.parametrize(
    "kind", ["group", "acl", "gateway", "egress-only", "endpoint", "route-table"]
)
def test_delete_vpc_in_use(kind: str) -> None:
    client = boto3.client("ec2", region_name="us-east-1")
    vpc_id = client.create_vpc(CidrBlock="10.0.0.0/16")["Vpc"]["VpcId"]
    if kind == "group":
        client.create_security_group(GroupName="g", Description="g", VpcId=vpc_id)
    elif kind == "acl":
        client.create_network_acl(VpcId=vpc_id)
    elif kind == "gateway":
        gateway = client.create_internet_gateway()["InternetGateway"]
        client.attach_internet_gateway(
            InternetGatewayId=gateway["InternetGatewayId"], VpcId=vpc_id
        )
    elif kind == "egress-only":
        client.create_egress_only_internet_gateway(VpcId=vpc_id)
    elif kind == "endpoint":
        client.create_vpc_endpoint(
            VpcId=vpc_id,
            ServiceName="com.amazonaws.us-east-1.s3",
            VpcEndpointType="Gateway",
        )
    else:
        client.create_route_table(VpcId=vpc_id)
    with pytest.raises(ClientError) as exc:
        client.delete_vpc(VpcId=vpc_id)
    assert exc.value.response["Error"] == {
        "Code": "DependencyViolation",
        "Message": f"The vpc '{vpc_id}' has dependencies and cannot be deleted.",
    }


@mock_aws
def test_delete_vpc_and_subnet_with_network_acls() -> None:
    client = boto3.client("ec2", region_name="us-east-1")
    vpc_id = client.create_vpc(CidrBlock="10.0.0.0/16")["Vpc"]["VpcId"]
    subnet = client.create_subnet(VpcId=vpc_id, CidrBlock="10.0.0.0/24")["Subnet"]
    table = client.create_route_table(VpcId=vpc_id)["RouteTable"]["RouteTableId"]
    client.associate_route_table(RouteTableId=table, SubnetId=subnet["SubnetId"])
    filters = [{"Name": "vpc-id", "Values": [vpc_id]}]

    client.delete_subnet(SubnetId=subnet["SubnetId"])
    (acl,) = client.describe_network_acls(Filters=filters)["NetworkAcls"]
    assert acl["Associations"] == []

    client.delete_route_table(RouteTableId=table)
    client.delete_vpc(VpcId=vpc_id)
    assert client.describe_network_acls(Filters=filters)["NetworkAcls"] == []
