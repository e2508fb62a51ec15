"""moto's new buckets are not encrypted, block no public access and have no owner of objects.

https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetBucketEncryption.html
https://docs.aws.amazon.com/AmazonS3/latest/API/API_CreateBucket.html
Public access is blocked since April 2023:
https://docs.aws.amazon.com/prescriptive-guidance/latest/aws-startup-security-baseline/acct-08.html
"""

from __future__ import annotations

from typing import Any

from clusterwright_localaws.core.runtime import runtime

MOTO_VERSION = "5.2.5"
DESCRIPTION = (
    "S3: new general purpose buckets encrypt with SSE-S3, also after DeleteBucketEncryption, "
    "block public access, and have the object ownership of the request or BucketOwnerEnforced"
)
_DIRECTORY = "--x-s3"


class DefaultEncryption(dict[str, Any]):
    """The encryption of a bucket for which no other was put."""


def apply() -> None:
    from moto.s3.models import S3Backend

    create_bucket = S3Backend.create_bucket
    delete_encryption = S3Backend.delete_bucket_encryption

    def _create_bucket(self: Any, bucket_name: str, *more: Any, **named: Any) -> Any:
        bucket = create_bucket(self, bucket_name, *more, **named)
        if runtime().active and not bucket_name.endswith(_DIRECTORY):
            _set_defaults(bucket)
        return bucket

    def _delete_encryption(self: Any, bucket_name: str) -> None:
        delete_encryption(self, bucket_name)
        if runtime().active and not bucket_name.endswith(_DIRECTORY):
            self.get_bucket(bucket_name).encryption = _encryption()

    S3Backend.create_bucket = _create_bucket  # type: ignore[method-assign]
    S3Backend.delete_bucket_encryption = _delete_encryption  # type: ignore[method-assign]


def _set_defaults(bucket: Any) -> None:
    from moto.s3.models import PublicAccessBlock

    bucket.encryption = bucket.encryption or _encryption()
    bucket.public_access_block = bucket.public_access_block or PublicAccessBlock(
        block_public_acls="true",
        ignore_public_acls="true",
        block_public_policy="true",
        restrict_public_buckets="true",
    )
    bucket.ownership_rule = bucket.ownership_rule or "BucketOwnerEnforced"


def _encryption() -> DefaultEncryption:
    rule = {
        "ApplyServerSideEncryptionByDefault": {"SSEAlgorithm": "AES256"},
        "BucketKeyEnabled": "false",
    }
    return DefaultEncryption(Rule=rule)
