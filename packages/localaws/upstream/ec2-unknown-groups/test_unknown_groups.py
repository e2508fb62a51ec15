import boto3
import pytest
from botocore.exceptions import ClientError

from moto import mock_aws


@mock_aws
@pytest.mark.parametrize("unknown", ["sg-0123", "sg-ffffffffffffffffff"])
def test_describe_known_and_unknown_security_group(unknown: str) -> None:
    client = boto3.client("ec2", region_name="us-east-1")
    group = client.create_security_group(GroupName="g", Description="g")
    with pytest.raises(ClientError) as exc:
        client.describe_security_groups(GroupIds=[group["GroupId"], unknown])
    assert exc.value.response["Error"] == {
        "Code": "InvalidGroup.NotFound",
        "Message": f"The security group '{unknown}' does not exist",
    }


@mock_aws
def test_describe_unknown_name_and_name_in_two_vpcs() -> None:
    client = boto3.client("ec2", region_name="us-east-1")
    vpc_id = client.create_vpc(CidrBlock="10.0.0.0/16")["Vpc"]["VpcId"]
    client.create_security_group(GroupName="g", Description="g")
    client.create_security_group(GroupName="g", Description="g", VpcId=vpc_id)
    with pytest.raises(ClientError) as exc:
        client.describe_security_groups(GroupNames=["g", "none"])
    assert exc.value.response["Error"]["Code"] == "InvalidGroup.NotFound"
