"""moto fails at a POST to an object that is none of S3's operations.

CompleteMultipartUpload without an `uploadId` is one.
https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html
"""

from __future__ import annotations

from typing import Any

from clusterwright_localaws.core.runtime import runtime

MOTO_VERSION = "5.2.5"
DESCRIPTION = "S3: a POST to an object that is no operation is MethodNotAllowed"
_OPERATIONS = frozenset({"uploads", "uploadId", "restore", "select"})


def apply() -> None:
    from moto.s3.exceptions import MethodNotAllowed
    from moto.s3.responses import S3Response

    post = S3Response._key_response_post

    def _post(self: Any, request: Any, body: bytes, bucket: str, query: Any, key: str) -> Any:
        if runtime().active and _OPERATIONS.isdisjoint(query):
            raise MethodNotAllowed(method="POST", resource_type="OBJECT")
        return post(self, request, body, bucket, query, key)

    S3Response._key_response_post = _post  # type: ignore[assignment, method-assign]
