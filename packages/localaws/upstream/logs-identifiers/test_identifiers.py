import boto3
import pytest
from botocore.exceptions import ClientError

from moto import mock_aws


@mock_aws
def test_group_of_an_identifier() -> None:
    client = boto3.client("logs", region_name="us-east-1")
    for name in ("one", "two"):
        client.create_log_group(logGroupName=name)
        client.create_log_stream(logGroupName=name, logStreamName=f"of-{name}")
    arn = "arn:aws:logs:us-east-1:123456789012:log-group:one"
    for identifier in ("one", arn):
        streams = client.describe_log_streams(logGroupIdentifier=identifier)
        assert [s["logStreamName"] for s in streams["logStreams"]] == ["of-one"]
    with pytest.raises(ClientError) as exc:
        client.describe_log_streams(logGroupIdentifier="three")
    assert exc.value.response["Error"]["Code"] == "ResourceNotFoundException"
