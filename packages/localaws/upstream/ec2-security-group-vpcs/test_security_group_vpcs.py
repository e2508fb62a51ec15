import boto3
import pytest
from botocore.exceptions import ClientError

from moto import mock_aws


@mock_aws
def test_create_security_group_in_unknown_vpc() -> None:
    client = boto3.client("ec2", region_name="us-east-1")
    with pytest.raises(ClientError) as exc:
        client.create_security_group(
            GroupName="g", Description="g", VpcId="vpc-0123456789abcdef0"
        )
    assert exc.value.response["Error"]["Code"] == "InvalidVpcID.NotFound"

    vpc_id = client.create_vpc(CidrBlock="10.0.0.0/16")["Vpc"]["VpcId"]
    group = client.create_security_group(GroupName="g", Description="g", VpcId=vpc_id)
    assert group["GroupId"].startswith("sg-")
