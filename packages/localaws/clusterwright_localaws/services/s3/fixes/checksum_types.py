"""moto's answers lack the type of checksums, and lists of versions lack checksums.

Objects in one piece have checksums of the full object; uploads in parts have CRC64NVME unless they
name another algorithm.
https://docs.aws.amazon.com/AmazonS3/latest/userguide/checking-object-integrity-upload.html
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final
from urllib.parse import unquote

from clusterwright_localaws.core.runtime import runtime
from clusterwright_localaws.services.s3 import checksums
from clusterwright_localaws.services.s3.fixes.checksum_values import is_named, joined
from clusterwright_localaws.services.s3.fixes.kms_key_arns import OF_KMS
from clusterwright_localaws.services.s3.fixes.object_parts import completed_parts

MOTO_VERSION = "5.2.5"
DESCRIPTION = (
    "S3: answers and lists name the type of checksums; a completed upload has a checksum, "
    "CRC64NVME unless it names another algorithm, and no version where the bucket has none"
)
_FULL: Final = "FULL_OBJECT"
_COMPOSITE: Final = "COMPOSITE"
_HEADER: Final = "x-amz-checksum-"
_VERSION: Final = "x-amz-version-id"
# Headers of a request that are not about its object.
_NOT_KEPT: Final = (_HEADER, "x-amz-content-", "x-amz-sdk-")


def apply() -> None:
    _mend_objects()
    _mend_headers()
    _mend_bodies()


def _mend_objects() -> None:
    from moto.s3.models import FakeKey, S3Backend

    complete = S3Backend.complete_multipart_upload
    copy_object = S3Backend.copy_object
    set_metadata = FakeKey.set_metadata

    def _complete(self: Any, *more: Any, **named: Any) -> Any:
        key = complete(self, *more, **named)
        if runtime().active and key is not None and key.checksum_value:
            key.checksum_algorithm = key.checksum_algorithm or checksums.CRC64NVME
        return key

    def _set_metadata(self: Any, metadata: Any, replace: bool = False) -> None:
        set_metadata(self, metadata, replace)
        if runtime().active:
            for name in [each for each in self.metadata if each.lower().startswith(_NOT_KEPT)]:
                del self.metadata[name]

    def _copy_object(self: Any, source: Any, bucket: str, name: str, **named: Any) -> None:
        copy_object(self, source, bucket, name, **named)
        if runtime().active and source.checksum_type == _COMPOSITE:
            _recompute(self.get_object(bucket, name), source)

    response_dict: Any = FakeKey.response_dict

    def _response_dict(self: Any) -> dict[str, Any]:
        headers: dict[str, Any] = response_dict.fget(self)
        if runtime().active:
            headers.pop("x-amz-sdk-checksum-algorithm", None)
        return headers

    FakeKey.response_dict = property(_response_dict)  # type: ignore[assignment]
    FakeKey.checksum_type = property(_type_of, _set_type)  # type: ignore[assignment]
    FakeKey.set_metadata = _set_metadata  # type: ignore[method-assign]
    S3Backend.complete_multipart_upload = _complete  # type: ignore[method-assign]
    S3Backend.copy_object = _copy_object  # type: ignore[assignment, method-assign]


def _mend_headers() -> None:
    from moto.s3.responses import S3Response

    put_object = S3Response.put_object
    head_object = S3Response.head_object
    post = S3Response._key_response_post

    def _put_object(self: Any) -> Any:
        status, headers, body = put_object(self)
        if runtime().active and any(name.startswith(_HEADER) for name in headers):
            headers[f"{_HEADER}type"] = _FULL
        return status, headers, body

    def _head_object(self: Any, bucket: str, query: Any, name: str, headers: Any) -> Any:
        status, given, body = head_object(self, bucket, query, name, headers)
        if runtime().active and any(header.startswith(_HEADER) for header in given):
            version = query.get("versionId", [None])[0]
            given.update(_headers_of(self.backend.get_object(bucket, name, version_id=version)))
        return status, given, body

    def _post(self: Any, request: Any, body: Any, bucket: str, query: Any, name: str) -> Any:
        status, headers, text = post(self, request, body, bucket, query, name)
        if runtime().active and self.backend.get_bucket(bucket).versioning_status is None:
            headers.pop(_VERSION, None)
        return status, headers, text

    S3Response.put_object = _put_object  # type: ignore[method-assign]
    S3Response.head_object = _head_object  # type: ignore[assignment, method-assign]
    S3Response._key_response_post = _post  # type: ignore[assignment, method-assign]


def _mend_bodies() -> None:
    from moto.s3.responses import S3Response

    serialized = S3Response.serialized

    def _serialized(self: Any, action_result: Any) -> Any:
        if runtime().active and isinstance(action_result.result, dict):
            _add(self, self.data.get("Action"), action_result.result)
        return serialized(self, action_result)

    S3Response.serialized = _serialized  # type: ignore[method-assign]


def _type_of(key: Any) -> str | None:
    stored: str | None = vars(key).get("checksum_type")
    return stored or (_FULL if runtime().active and key.checksum_value else None)


def _set_type(key: Any, value: str | None) -> None:
    vars(key)["checksum_type"] = value


def _recompute(key: Any, source: Any) -> None:
    """Give a copy of an object of several parts a checksum of its own."""
    algorithm = key.checksum_algorithm
    key.checksum_type = _FULL
    key.checksum_value = checksums.checksum(key.value, algorithm)
    if key.checksum_value is None and source.multipart:
        parts = [source.multipart.parts[number] for number in completed_parts(source)]
        key.checksum_value = joined(parts, algorithm)


def _value_of(key: Any) -> str:
    suffix = f"-{key.checksum_parts}" if key.checksum_type == _COMPOSITE else ""
    return f"{key.checksum_value}{suffix}"


def _headers_of(key: Any) -> Iterator[tuple[str, str]]:
    yield f"{_HEADER}{key.checksum_algorithm.lower()}", _value_of(key)
    yield f"{_HEADER}type", key.checksum_type


def _add(response: Any, action: str | None, result: dict[str, Any]) -> None:
    if action == "CompleteMultipartUpload":
        key = response.backend.get_object(result["Bucket"], result["Key"])
        if key is not None and key.checksum_algorithm and key.checksum_value and _is_shown(key):
            result[f"Checksum{key.checksum_algorithm}"] = _value_of(key)
            result["ChecksumType"] = key.checksum_type
    elif action == "CopyObject":
        if any(name.startswith("Checksum") for name in result["CopyObjectResult"]):
            result["CopyObjectResult"]["ChecksumType"] = _FULL
    elif action in ("ListObjects", "ListObjectsV2", "ListObjectVersions"):
        keys = response.backend.get_bucket(response.bucket_name).keys
        encoded = result.get("EncodingType") == "url"
        for item in result.get("Versions") or result.get("Contents") or []:
            name = unquote(item["Key"]) if encoded else item["Key"]
            key = _listed(keys, name, item.get("VersionId"))
            if key is not None and key.checksum_algorithm and key.checksum_value:
                item["ChecksumAlgorithm"] = [key.checksum_algorithm]
                item["ChecksumType"] = key.checksum_type


def _is_shown(key: Any) -> bool:
    """Return whether S3 answers the checksum of a completed upload.

    Recorded on AWS: not the one that S3 adds where a key of KMS encrypts, which the object has.
    """
    upload = key.multipart
    return upload is None or upload.sse_encryption not in OF_KMS or is_named(upload)


def _listed(keys: Any, name: str, version: str | None) -> Any | None:
    if version is None:
        found = keys.get(name)
        return found if hasattr(found, "checksum_algorithm") else None
    for key in keys.getlist(name, []):
        if key.version_id == version and hasattr(key, "checksum_algorithm"):
            return key
    return None
