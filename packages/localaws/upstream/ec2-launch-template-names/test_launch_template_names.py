import boto3
import pytest
from botocore.exceptions import ClientError

from moto import mock_aws


@mock_aws
@pytest.mark.parametrize("name", ["a name", "ab", "x" * 129])
def test_malformed_name_of_launch_template(name: str) -> None:
    client = boto3.client("ec2", region_name="us-east-1")
    with pytest.raises(ClientError) as exc:
        client.create_launch_template(
            LaunchTemplateName=name, LaunchTemplateData={"InstanceType": "t3.micro"}
        )
    error = exc.value.response["Error"]
    assert error["Code"] == "InvalidLaunchTemplateName.MalformedException"
