"""moto answers the key of an encrypted object as it was given, and none where none was.

https://docs.aws.amazon.com/AmazonS3/latest/userguide/UsingKMSEncryption.html
Recorded on AWS: docs/reference/probes.md, source `localstack`.
"""

from __future__ import annotations

from typing import Any, Final

from clusterwright_localaws.core.runtime import runtime

MOTO_VERSION = "5.2.5"
DESCRIPTION = (
    "S3: the answer about an object that is encrypted by KMS names its key by its ARN, also the "
    "key that AWS manages; BucketKeyEnabled is absent where it is false"
)
OF_KMS: Final = ("aws:kms", "aws:kms:dsse")
_MANAGED: Final = "alias/aws/s3"


def apply() -> None:
    from moto.s3.models import S3Backend

    put_object = S3Backend.put_object

    def _put_object(self: Any, bucket_name: str, *more: Any, **named: Any) -> Any:
        written = put_object(self, bucket_name, *more, **named)
        if runtime().active and written.encryption in OF_KMS:
            bucket = self.get_bucket(bucket_name)
            written.kms_key_id = key_arn(bucket, written.kms_key_id)
            if str(written.bucket_key_enabled).lower() != "true":
                written.bucket_key_enabled = None
        return written

    S3Backend.put_object = _put_object  # type: ignore[method-assign]


def key_arn(bucket: Any, named: str | None) -> str | None:
    """Return the ARN of the key, or its name where the bucket's Region does not have it."""
    from moto.kms.models import kms_backends

    if named and named.startswith("arn:") and ":key/" in named:
        return named
    account, alias = bucket.account_id, named or _MANAGED
    parts = alias.split(":", 5)
    if len(parts) > 5:
        if parts[3] != bucket.region_name:
            return named
        account, alias = parts[4:]
    keys = kms_backends[account][bucket.region_name]
    key_id = keys.get_key_id_from_alias(alias) if alias.startswith("alias/") else named
    key = keys.keys.get(key_id) if key_id else None
    return key.arn if key is not None else named
