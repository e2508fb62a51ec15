"""moto fails at tags without a value, drops those of a new bucket, and names no versions.

https://docs.aws.amazon.com/AmazonS3/latest/API/API_CreateBucketConfiguration.html
Answers recorded on AWS: docs/reference/probes.md, source `localstack`.
"""

from __future__ import annotations

from typing import Any

import xmltodict  # type: ignore[import-untyped]

from clusterwright_localaws.core.runtime import runtime

MOTO_VERSION = "5.2.5"
DESCRIPTION = (
    "S3: tags may have empty values, a set of tags may be empty, a new bucket has the tags of its "
    "request, and the tags of an object are answered with its version"
)


def apply() -> None:
    from moto.s3.responses import S3Response

    of_object = S3Response._tagging_from_xml
    of_bucket = S3Response._bucket_tagging_from_body
    put_bucket = S3Response._bucket_response_put

    def _of_object(self: Any) -> dict[str, str]:
        return _tags(self.body) if runtime().active else of_object(self)

    def _of_bucket(self: Any) -> dict[str, str]:
        return _tags(self.body) if runtime().active else of_bucket(self)

    def _put_bucket(self: Any, request: Any, bucket_name: str, query: Any) -> Any:
        answer = put_bucket(self, request, bucket_name, query)
        if runtime().active and not query and self.body:
            tags = _tags(self.body)
            if tags:
                self.backend.put_bucket_tagging(bucket_name, tags)
        return answer

    S3Response._tagging_from_xml = _of_object  # type: ignore[method-assign]
    S3Response._bucket_tagging_from_body = _of_bucket  # type: ignore[method-assign]
    S3Response._bucket_response_put = _put_bucket  # type: ignore[method-assign,assignment]
    for name in ("put_object_tagging", "delete_object_tagging"):
        setattr(S3Response, name, _naming_version(getattr(S3Response, name)))


def _tags(document: bytes) -> dict[str, str]:
    found: dict[str, str] = {}
    for sets in xmltodict.parse(document).values():
        members = sets or {}
        listed = (members.get("TagSet") or members.get("Tags") or {}).get("Tag") or []
        for tag in listed if isinstance(listed, list) else [listed]:
            found[tag["Key"]] = tag["Value"] or ""
    return found


def _naming_version(in_moto: Any) -> Any:
    def _operation(self: Any) -> Any:
        version = _version(self)
        status, headers, body = in_moto(self)
        if version is not None:
            headers["x-amz-version-id"] = version
        return status, headers, body

    return _operation


def _version(response: Any) -> str | None:
    """Return the version of the object of a request, in a bucket that has had versions."""
    if not runtime().active:
        return None
    asked = response.querystring.get("versionId", [None])[0]
    key = response.backend.get_object(
        response.bucket_name, response.parse_key_name(), version_id=asked
    )
    bucket = response.backend.get_bucket(response.bucket_name)
    return key.version_id if key is not None and bucket.versioning_status else None
