import boto3
import pytest
from botocore.exceptions import ClientError

from moto import mock_aws


@mock_aws
def test_describe_logging_configuration_of_workspace_without_one() -> None:
    client = boto3.client("amp", region_name="us-east-1")
    workspace_id = client.create_workspace()["workspaceId"]

    with pytest.raises(ClientError) as exc:
        client.describe_logging_configuration(workspaceId=workspace_id)
    assert exc.value.response["Error"]["Code"] == "ResourceNotFoundException"

    group = "arn:aws:logs:us-east-1:123456789012:log-group:group:*"
    client.create_logging_configuration(workspaceId=workspace_id, logGroupArn=group)
    found = client.describe_logging_configuration(workspaceId=workspace_id)
    assert found["loggingConfiguration"]["logGroupArn"] == group
