"""moto does not check and write in one step, and its uploads do not notice what happened since.

A conditional completion conflicts with what happened to its key since the upload began.
https://docs.aws.amazon.com/AmazonS3/latest/userguide/conditional-writes.html
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from clusterwright_localaws.core.runtime import runtime
from clusterwright_localaws.services.s3.conditional_writes import check_conditions, overtake

MOTO_VERSION = "5.2.5"
DESCRIPTION = (
    "S3: a conditional write is checked and written in one step; a conditional "
    "CompleteMultipartUpload is a ConditionalRequestConflict where the key was written or deleted "
    "since the upload began"
)
_CONDITIONS: Final = {"If-Match": "IfMatch", "If-None-Match": "IfNoneMatch"}


def apply() -> None:
    _write_one_at_a_time()
    _check_as_they_write()


def _write_one_at_a_time() -> None:
    from moto.s3.models import S3Backend

    put_object = S3Backend.put_object
    delete_object = S3Backend.delete_object

    def _put_object(self: Any, bucket_name: str, key_name: str, *more: Any, **named: Any) -> Any:
        with runtime().lock:
            written = put_object(self, bucket_name, key_name, *more, **named)
            if runtime().active:
                overtake(self.get_bucket(bucket_name), key_name)
        return written

    def _delete_object(
        self: Any, bucket_name: str, key_name: str, *more: Any, **named: Any
    ) -> Any:
        with runtime().lock:
            deleted = delete_object(self, bucket_name, key_name, *more, **named)
            if runtime().active:
                overtake(self.get_bucket(bucket_name), key_name)
        return deleted

    S3Backend.put_object = _put_object  # type: ignore[method-assign]
    S3Backend.delete_object = _delete_object  # type: ignore[method-assign]


def _check_as_they_write() -> None:
    from moto.s3.responses import S3Response

    put_object = S3Response.put_object
    copy_object = S3Response.copy_object
    post = S3Response._key_response_post

    def _put_object(self: Any) -> Any:
        return _checked(self, None, lambda: put_object(self))

    def _copy_object(self: Any) -> Any:
        return _checked(self, None, lambda: copy_object(self))

    def _post(self: Any, request: Any, body: bytes, bucket: str, query: Any, key: str) -> Any:
        upload = query.get("uploadId", [None])[0]
        if upload is None:
            return post(self, request, body, bucket, query, key)
        return _checked(self, upload, lambda: post(self, request, body, bucket, query, key))

    S3Response.put_object = _put_object  # type: ignore[method-assign]
    S3Response.copy_object = _copy_object  # type: ignore[method-assign]
    S3Response._key_response_post = _post  # type: ignore[assignment, method-assign]


def _checked(response: Any, upload: str | None, write: Callable[[], Any]) -> Any:
    """Write an object; nobody else writes between the check of its conditions and the write."""
    headers = response.headers
    given = {member: headers.get(name) for name, member in _CONDITIONS.items()}
    if not runtime().active or not any(given.values()):
        return write()
    with runtime().lock:
        bucket = response.backend.get_bucket(response.bucket_name)
        # moto answers a repeated completion again.
        if upload is None or upload in bucket.multiparts:
            key_name = response.parse_key_name()
            check_conditions(bucket, {**given, "Key": key_name, "UploadId": upload})
        return write()
