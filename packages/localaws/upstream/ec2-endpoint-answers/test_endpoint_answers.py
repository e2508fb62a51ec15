import boto3

from moto import mock_aws


@mock_aws
def test_vpc_endpoint_has_the_members_of_interface_endpoints() -> None:
    ec2 = boto3.client("ec2", region_name="us-east-1")
    vpc_id = ec2.create_vpc(CidrBlock="10.0.0.0/16")["Vpc"]["VpcId"]

    interface = ec2.create_vpc_endpoint(
        VpcId=vpc_id,
        ServiceName="com.amazonaws.us-east-1.logs",
        VpcEndpointType="Interface",
    )["VpcEndpoint"]
    assert interface["RequesterManaged"] is False
    assert interface["IpAddressType"] == "ipv4"
    assert interface["DnsOptions"] == {"DnsRecordIpType": "ipv4"}

    gateway = ec2.create_vpc_endpoint(
        VpcId=vpc_id,
        ServiceName="com.amazonaws.us-east-1.s3",
        VpcEndpointType="Gateway",
    )["VpcEndpoint"]
    assert gateway["RequesterManaged"] is False
