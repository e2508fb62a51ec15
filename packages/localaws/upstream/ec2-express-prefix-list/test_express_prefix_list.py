import boto3

from moto import mock_aws


@mock_aws
def test_gateway_endpoint_of_s3_express_can_be_deleted() -> None:
    client = boto3.client("ec2", region_name="us-east-1")
    name = "com.amazonaws.us-east-1.s3express"
    vpc_id = client.create_vpc(CidrBlock="10.0.0.0/16")["Vpc"]["VpcId"]
    table = client.create_route_table(VpcId=vpc_id)["RouteTable"]["RouteTableId"]
    endpoint = client.create_vpc_endpoint(
        VpcId=vpc_id,
        ServiceName=name,
        VpcEndpointType="Gateway",
        RouteTableIds=[table],
    )["VpcEndpoint"]
    filters = [{"Name": "prefix-list-name", "Values": [name]}]
    lists = client.describe_managed_prefix_lists(Filters=filters)["PrefixLists"]
    assert len(lists) == 1
    routes = client.describe_route_tables(RouteTableIds=[table])["RouteTables"][0][
        "Routes"
    ]
    assert lists[0]["PrefixListId"] in [
        r.get("DestinationPrefixListId") for r in routes
    ]
    client.delete_vpc_endpoints(VpcEndpointIds=[endpoint["VpcEndpointId"]])
