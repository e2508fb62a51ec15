"""moto's answers about buckets lack headers: the ARN, the Region, the URL of a new bucket.

https://docs.aws.amazon.com/AmazonS3/latest/API/API_HeadBucket.html
Recorded on AWS: docs/reference/probes.md, source `localstack`.
"""

from __future__ import annotations

from typing import Any, Final

from clusterwright_localaws.core.runtime import runtime

MOTO_VERSION = "5.2.5"
DESCRIPTION = (
    "S3: HeadBucket has the bucket's ARN, lists of objects its Region, and the answer to "
    "CreateBucket with a location its URL"
)
_LISTS: Final = frozenset({"ListObjects", "ListObjectsV2"})
_OK: Final = 200


def apply() -> None:
    from moto.s3.responses import S3Response

    serialized = S3Response.serialized
    put_bucket = S3Response._bucket_response_put
    head_bucket = S3Response.head_bucket

    def _serialized(self: Any, action_result: Any) -> Any:
        status, headers, body = serialized(self, action_result)
        is_list = self.data.get("Action") in _LISTS and isinstance(action_result.result, dict)
        if runtime().active and is_list:
            headers["x-amz-bucket-region"] = self.backend.get_bucket(self.bucket_name).region_name
        return status, headers, body

    def _head_bucket(self: Any) -> Any:
        status, headers, body = head_bucket(self)
        if runtime().active and status == _OK:
            headers["x-amz-bucket-arn"] = self.backend.get_bucket(self.bucket_name).arn
            headers["x-amz-access-point-alias"] = "false"
        return status, headers, body

    def _put_bucket(self: Any, request: Any, bucket_name: str, query: Any) -> Any:
        answer = put_bucket(self, request, bucket_name, query)
        is_creation = not query or set(query) <= {"x-id"}
        if runtime().active and is_creation and isinstance(answer, tuple) and answer[0] == _OK:
            _set_location(answer[1], bucket_name, self.raw_body)
        return answer

    S3Response.serialized = _serialized  # type: ignore[method-assign]
    S3Response.head_bucket = _head_bucket  # type: ignore[method-assign]
    S3Response._bucket_response_put = _put_bucket  # type: ignore[assignment, method-assign]


def _set_location(headers: dict[str, Any], bucket_name: str, body: Any) -> None:
    given = body if isinstance(body, bytes) else str(body or "").encode()
    if b"<LocationConstraint>" in given:
        for name in [one for one in headers if one.lower() == "location"]:
            headers[name] = f"http://{bucket_name}.s3.amazonaws.com/"
