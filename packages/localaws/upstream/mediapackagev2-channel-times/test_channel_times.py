import boto3

from moto import mock_aws


@mock_aws
def test_channels_have_times() -> None:
    client = boto3.client("mediapackagev2", region_name="us-east-1")
    client.create_channel_group(ChannelGroupName="group")
    channel = client.create_channel(ChannelGroupName="group", ChannelName="channel")
    assert channel["CreatedAt"] == channel["ModifiedAt"]

    found = client.get_channel(ChannelGroupName="group", ChannelName="channel")
    assert found["CreatedAt"] == channel["CreatedAt"]
