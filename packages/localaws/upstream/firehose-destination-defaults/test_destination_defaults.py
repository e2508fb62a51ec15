import boto3
import pytest

from moto import mock_aws

CONFIGURATION = {
    "RoleARN": "arn:aws:iam::123456789012:role/r",
    "BucketARN": "arn:aws:s3:::bucket",
}


@mock_aws
@pytest.mark.parametrize("kind", ["ExtendedS3", "S3"])
def test_defaults_of_s3_destination(kind: str) -> None:
    client = boto3.client("firehose", region_name="us-east-1")
    client.create_delivery_stream(
        DeliveryStreamName="d", **{f"{kind}DestinationConfiguration": CONFIGURATION}
    )
    stream = client.describe_delivery_stream(DeliveryStreamName="d")[
        "DeliveryStreamDescription"
    ]
    (destination,) = stream["Destinations"]
    found = destination["S3DestinationDescription"]
    assert found["CompressionFormat"] == "UNCOMPRESSED"
    assert found["BufferingHints"] == {"SizeInMBs": 5, "IntervalInSeconds": 300}
    assert found["EncryptionConfiguration"] == {"NoEncryptionConfig": "NoEncryption"}
