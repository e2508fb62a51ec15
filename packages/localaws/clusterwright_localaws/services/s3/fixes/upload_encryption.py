"""moto's multipart uploads name no encryption unless the request does.

https://docs.aws.amazon.com/AmazonS3/latest/API/API_CreateMultipartUpload.html
"""

from __future__ import annotations

from typing import Any

from clusterwright_localaws.core.runtime import runtime

MOTO_VERSION = "5.2.5"
DESCRIPTION = "S3: a new multipart upload names the encryption of its bucket"
_HEADER = "x-amz-server-side-encryption"


def apply() -> None:
    from moto.s3.responses import S3Response

    post = S3Response._key_response_post

    def _key_response_post(
        self: Any, request: Any, body: bytes, bucket_name: str, query: Any, key_name: str
    ) -> Any:
        status, headers, text = post(self, request, body, bucket_name, query, key_name)
        if runtime().active and "uploads" in query and _HEADER not in headers:
            encryption = self.backend.get_bucket(bucket_name).encryption
            if encryption:
                rule = encryption["Rule"]["ApplyServerSideEncryptionByDefault"]
                headers = {**headers, _HEADER: rule["SSEAlgorithm"]}
                key = rule.get("KMSMasterKeyID")
                if key:
                    headers[f"{_HEADER}-aws-kms-key-id"] = key
        return status, headers, text

    S3Response._key_response_post = _key_response_post  # type: ignore[method-assign]
