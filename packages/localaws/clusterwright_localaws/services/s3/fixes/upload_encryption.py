"""moto's multipart uploads name no encryption unless the request does.

https://docs.aws.amazon.com/AmazonS3/latest/API/API_CreateMultipartUpload.html
"""

from __future__ import annotations

from typing import Any

from clusterwright_localaws.core.runtime import runtime

MOTO_VERSION = "5.2.5"
DESCRIPTION = "S3: a new multipart upload and its parts name the encryption of its bucket"
_HEADER = "x-amz-server-side-encryption"


def apply() -> None:
    from moto.s3.models import S3Backend
    from moto.s3.responses import S3Response

    create = S3Backend.create_multipart_upload
    serialized = S3Response.serialized

    def _create(self: Any, bucket_name: str, *more: Any, **named: Any) -> Any:
        upload = create(self, bucket_name, *more, **named)
        encryption = self.get_bucket(bucket_name).encryption
        if runtime().active and encryption and not upload.sse_encryption:
            rule = encryption["Rule"]["ApplyServerSideEncryptionByDefault"]
            upload.sse_encryption = rule["SSEAlgorithm"]
            upload.kms_key_id = rule.get("KMSMasterKeyID")
        return upload

    def _serialized(self: Any, action_result: Any) -> Any:
        status, headers, body = serialized(self, action_result)
        if runtime().active and self.data.get("Action") == "CreateMultipartUpload":
            headers.update(_headers_of(self.backend, action_result.result))
        return status, headers, body

    S3Backend.create_multipart_upload = _create  # type: ignore[method-assign]
    S3Response.serialized = _serialized  # type: ignore[method-assign]


def _headers_of(backend: Any, result: Any) -> dict[str, str]:
    created = isinstance(result, dict)  # otherwise it is an error
    bucket = backend.get_bucket(result["Bucket"]) if created else None
    upload = bucket.multiparts.get(result["UploadId"]) if bucket is not None else None
    if upload is None or not upload.sse_encryption:
        return {}
    headers = {_HEADER: upload.sse_encryption}
    if upload.kms_key_id:
        headers[f"{_HEADER}-aws-kms-key-id"] = upload.kms_key_id
    return headers
