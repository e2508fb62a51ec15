import boto3

from moto import mock_aws


@mock_aws
def test_vpc_endpoint_without_type() -> None:
    client = boto3.client("ec2", region_name="us-east-1")
    vpc_id = client.create_vpc(CidrBlock="10.0.0.0/16")["Vpc"]["VpcId"]
    endpoint = client.create_vpc_endpoint(
        VpcId=vpc_id, ServiceName="com.amazonaws.us-east-1.s3"
    )["VpcEndpoint"]
    assert endpoint["VpcEndpointType"] == "Gateway"
    answer = client.delete_vpc_endpoints(VpcEndpointIds=[endpoint["VpcEndpointId"]])
    assert answer["Unsuccessful"] == []
