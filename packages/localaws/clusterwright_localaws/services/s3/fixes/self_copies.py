"""moto lets an object be copied onto itself unchanged wherever its bucket has an encryption.

Every bucket has one; only one that was put with PutBucketEncryption allows such a copy.
https://docs.aws.amazon.com/AmazonS3/latest/API/API_CopyObject.html
"""

from __future__ import annotations

from typing import Any

from clusterwright_localaws.core.runtime import runtime
from clusterwright_localaws.services.s3.fixes.bucket_defaults import DefaultEncryption

MOTO_VERSION = "5.2.5"
DESCRIPTION = (
    "S3: a copy of an object onto itself that changes nothing is an InvalidRequest, where the "
    "bucket has its default encryption"
)
_MANAGED = "AES256"


def apply() -> None:
    from moto.s3.exceptions import CopyObjectMustChangeSomething
    from moto.s3.models import S3Backend

    copy_object = S3Backend.copy_object

    def _copy_object(
        self: Any, src_key: Any, dest_bucket_name: str, dest_key_name: str, **named: Any
    ) -> None:
        if runtime().active:
            bucket = self.get_bucket(dest_bucket_name)
            same = (src_key.bucket_name, src_key.name) == (dest_bucket_name, dest_key_name)
            changes = named.get("mdirective") == "REPLACE" or any(
                map(named.get, ("storage", "encryption", "website_redirect_location"))
            )
            older = bucket.is_versioned and named.get("provided_version_id")
            default = isinstance(bucket.encryption, DefaultEncryption)
            plain = src_key.encryption in (None, _MANAGED)
            if same and default and plain and not changes and not older:
                raise CopyObjectMustChangeSomething
        copy_object(self, src_key, dest_bucket_name, dest_key_name, **named)

    S3Backend.copy_object = _copy_object  # type: ignore[assignment, method-assign]
