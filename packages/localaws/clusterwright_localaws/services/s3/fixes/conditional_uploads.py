"""moto's uploads in parts do not notice what happened to their key since they began.

A conditional completion then conflicts with it.
https://docs.aws.amazon.com/AmazonS3/latest/userguide/conditional-writes.html
"""

from __future__ import annotations

from typing import Any

from clusterwright_localaws.core.runtime import runtime

MOTO_VERSION = "5.2.5"
DESCRIPTION = (
    "S3: a conditional CompleteMultipartUpload is a ConditionalRequestConflict where the key was "
    "written or deleted since the upload began"
)
_MARK = "overtaken"


def is_overtaken(upload: Any) -> bool:
    """Whether the upload's key was written or deleted since the upload began."""
    return bool(getattr(upload, _MARK, False))


def apply() -> None:
    from moto.s3.models import S3Backend

    put_object = S3Backend.put_object
    delete_object = S3Backend.delete_object

    def _put_object(self: Any, bucket_name: str, key_name: str, *more: Any, **named: Any) -> Any:
        written = put_object(self, bucket_name, key_name, *more, **named)
        _mark(self.get_bucket(bucket_name), key_name)
        return written

    def _delete_object(
        self: Any, bucket_name: str, key_name: str, *more: Any, **named: Any
    ) -> Any:
        deleted = delete_object(self, bucket_name, key_name, *more, **named)
        _mark(self.get_bucket(bucket_name), key_name)
        return deleted

    S3Backend.put_object = _put_object  # type: ignore[method-assign]
    S3Backend.delete_object = _delete_object  # type: ignore[method-assign]


def _mark(bucket: Any, key_name: str) -> None:
    if runtime().active:
        for upload in list(bucket.multiparts.values()):
            if upload.key_name == key_name:
                setattr(upload, _MARK, True)
