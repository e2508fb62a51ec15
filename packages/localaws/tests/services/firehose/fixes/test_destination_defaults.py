"""Tests of services.firehose.fixes.destination_defaults."""

from __future__ import annotations

import pytest

from packages.localaws.tests.parts import client


@pytest.mark.usefixtures("aws")
def test_given_values_and_defaults_of_a_destination() -> None:
    client("s3").create_bucket(Bucket="one")
    firehose = client("firehose")
    firehose.create_delivery_stream(
        DeliveryStreamName="d",
        ExtendedS3DestinationConfiguration={
            "RoleARN": "arn:aws:iam::123456789012:role/r",
            "BucketARN": "arn:aws:s3:::one",
            "CompressionFormat": "GZIP",
        },
    )
    described = firehose.describe_delivery_stream(DeliveryStreamName="d")
    (one,) = described["DeliveryStreamDescription"]["Destinations"]
    for name in ("ExtendedS3DestinationDescription", "S3DestinationDescription"):
        assert one[name]["CompressionFormat"] == "GZIP"
        assert one[name]["BufferingHints"] == {"SizeInMBs": 5, "IntervalInSeconds": 300}
