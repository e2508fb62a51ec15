import boto3

from moto import mock_aws


@mock_aws
def test_create_stream_without_shard_count() -> None:
    client = boto3.client("kinesis", region_name="us-east-1")
    client.create_stream(StreamName="s")
    summary = client.describe_stream_summary(StreamName="s")["StreamDescriptionSummary"]
    assert summary["StreamModeDetails"] == {"StreamMode": "ON_DEMAND"}
    assert summary["OpenShardCount"] == 4
