"""moto's multipart uploads name no encryption unless the request does.

https://docs.aws.amazon.com/AmazonS3/latest/API/API_CreateMultipartUpload.html
"""

from __future__ import annotations

from typing import Any

from clusterwright_localaws.core.runtime import runtime
from clusterwright_localaws.services.s3.fixes.kms_key_arns import OF_KMS, key_arn

MOTO_VERSION = "5.2.5"
DESCRIPTION = "S3: a new multipart upload and its parts name the encryption of its bucket"
_HEADER = "x-amz-server-side-encryption"


def apply() -> None:
    from moto.s3.models import S3Backend
    from moto.s3.responses import S3Response

    create = S3Backend.create_multipart_upload
    post = S3Response._key_response_post
    serialized = S3Response.serialized

    def _create(self: Any, bucket_name: str, *more: Any, **named: Any) -> Any:
        upload = create(self, bucket_name, *more, **named)
        if not runtime().active:
            return upload
        bucket = self.get_bucket(bucket_name)
        if bucket.encryption and not upload.sse_encryption:
            rule = bucket.encryption["Rule"]["ApplyServerSideEncryptionByDefault"]
            upload.sse_encryption = rule["SSEAlgorithm"]
            upload.kms_key_id = rule.get("KMSMasterKeyID")
        if upload.sse_encryption in OF_KMS:
            upload.kms_key_id = key_arn(bucket, upload.kms_key_id)
        return upload

    def _serialized(self: Any, action_result: Any) -> Any:
        status, headers, body = serialized(self, action_result)
        if runtime().active and self.data.get("Action") == "CreateMultipartUpload":
            self.of_upload = _headers_of(self.backend, action_result.result)
            headers.update(self.of_upload)
        return status, headers, body

    def _post(self: Any, *arguments: Any) -> Any:
        status, headers, body = post(self, *arguments)
        # moto names the key in the answer as the request did.
        headers.update(self.__dict__.pop("of_upload", {}))
        return status, headers, body

    S3Backend.create_multipart_upload = _create  # type: ignore[method-assign]
    S3Response.serialized = _serialized  # type: ignore[method-assign]
    S3Response._key_response_post = _post  # type: ignore[assignment, method-assign]


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
