"""moto's descriptions of S3 destinations lack members that Firehose's model requires.

The defaults: https://docs.aws.amazon.com/firehose/latest/APIReference/API_S3DestinationConfiguration.html
and API_BufferingHints.html
"""

from __future__ import annotations

from typing import Any, Final

MOTO_VERSION = "5.2.5"
DESCRIPTION = "Firehose: S3 destinations have their default buffering, compression and encryption"
REPRODUCTION = """\
boto3.client("s3").create_bucket(Bucket="bucket-of-firehose")
firehose = boto3.client("firehose")
bucket = "arn:aws:s3:::bucket-of-firehose"
s3 = {"RoleARN": "arn:aws:iam::123456789012:role/r", "BucketARN": bucket}
firehose.create_delivery_stream(DeliveryStreamName="d", ExtendedS3DestinationConfiguration=s3)
described = firehose.describe_delivery_stream(DeliveryStreamName="d")
(one,) = described["DeliveryStreamDescription"]["Destinations"]
for name in ("ExtendedS3DestinationDescription", "S3DestinationDescription"):
    assert one[name]["CompressionFormat"] == "UNCOMPRESSED", one
    assert one[name]["BufferingHints"] == {"SizeInMBs": 5, "IntervalInSeconds": 300}, one
    assert one[name]["EncryptionConfiguration"] == {"NoEncryptionConfig": "NoEncryption"}, one
"""

_DEFAULTS: Final[dict[str, Any]] = {
    "BufferingHints": {"SizeInMBs": 5, "IntervalInSeconds": 300},
    "CompressionFormat": "UNCOMPRESSED",
    "EncryptionConfiguration": {"NoEncryptionConfig": "NoEncryption"},
}
_OF_S3: Final = ("ExtendedS3", "S3")


def apply() -> None:
    from moto.firehose.models import DeliveryStream

    initialise = DeliveryStream.__init__

    def __init__(self: Any, *arguments: Any, **named: Any) -> None:  # noqa: N807
        initialise(self, *arguments, **named)
        for destination in self.destinations:
            for name in _OF_S3:
                if name in destination:
                    destination[name] = {**_DEFAULTS, **destination[name]}

    DeliveryStream.__init__ = __init__  # type: ignore[method-assign]
