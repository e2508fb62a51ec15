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
    from moto.s3.responses import S3Response

    post = S3Response._key_response_post

    def _key_response_post(
        self: Any, request: Any, body: bytes, bucket_name: str, query: Any, key_name: str
    ) -> Any:
        status, headers, text = post(self, request, body, bucket_name, query, key_name)
        if runtime().active and "uploads" in query and _HEADER not in headers:
            bucket = self.backend.get_bucket(bucket_name)
            if bucket.encryption:
                rule = bucket.encryption["Rule"]["ApplyServerSideEncryptionByDefault"]
                # The new upload is the last one; its parts name its encryption too.
                upload = list(bucket.multiparts.values())[-1]
                upload.sse_encryption = rule["SSEAlgorithm"]
                upload.kms_key_id = rule.get("KMSMasterKeyID")
                headers = {**headers, _HEADER: rule["SSEAlgorithm"]}
                key = rule.get("KMSMasterKeyID")
                if key:
                    headers[f"{_HEADER}-aws-kms-key-id"] = key
        return status, headers, text

    S3Response._key_response_post = _key_response_post  # type: ignore[method-assign]
