"""moto reads an object's part as an object of its own, and GetObjectAttributes has no parts.

https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetObjectAttributes.html
Recorded on AWS: docs/reference/probes.md, source `localstack`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from clusterwright_localaws.core.runtime import runtime
from clusterwright_localaws.services.s3 import checksums
from clusterwright_localaws.services.s3.part_checksums import checksum_of

MOTO_VERSION = "5.2.5"
DESCRIPTION = (
    "S3: a part of an object has the object's ETag, its range and the number of parts; "
    "GetObjectAttributes has the parts; an upload has the type of its checksum"
)
_COMPLETED: Final = "completed_parts"
_PREFIX: Final = "x-amz-checksum-"
_PART: Final = "partNumber"
_READ: Final = "key_that_was_read"
_PAGE: Final = 1000
_ROOTS: Final = {
    "GetObjectAttributesOutput": "GetObjectAttributesResponse",
    "ListPartsResponse": "ListPartsResult",
}


def apply() -> None:
    _mend_uploads()
    _mend_reads()
    _mend_attributes()


def completed_parts(key: Any) -> list[int]:
    """Return the numbers of the parts that an upload was completed with."""
    found: list[int] = getattr(key.multipart, _COMPLETED, key.multipart.partlist)
    return found


def _mend_uploads() -> None:
    from moto.s3.models import FakeMultipart, S3Backend

    copy_object = S3Backend.copy_object

    def _copy_object(self: Any, source: Any, bucket: str, name: str, **named: Any) -> None:
        copy_object(self, source, bucket, name, **named)
        if runtime().active:
            self.get_object(bucket, name).multipart = None

    complete = FakeMultipart.complete
    initialise = FakeMultipart.__init__

    def __init__(self: Any, *arguments: Any, **named: Any) -> None:  # noqa: N807
        initialise(self, *arguments, **named)
        algorithm = self.metadata.get(f"{_PREFIX}algorithm")
        if runtime().active and algorithm:
            kind = self.metadata.get(f"{_PREFIX}type") or checksums.default_type(algorithm)
            self.metadata[f"{_PREFIX}type"] = kind

    def _complete(self: Any, body: Any) -> Any:
        listed = list(body)
        completed = complete(self, iter(listed))
        setattr(self, _COMPLETED, [number for number, _ in listed])
        return completed

    set_acl = S3Backend.put_object_acl

    def _put_object_acl(
        self: Any, bucket_name: str, key_name: str, acl: Any, *more: Any, **named: Any
    ) -> None:
        # An upload without an ACL keeps that of new objects, without which moto fails.
        if acl is not None or not runtime().active:
            set_acl(self, bucket_name, key_name, acl, *more, **named)

    S3Backend.put_object_acl = _put_object_acl  # type: ignore[method-assign]
    S3Backend.copy_object = _copy_object  # type: ignore[assignment, method-assign]
    FakeMultipart.__init__ = __init__  # type: ignore[method-assign]
    FakeMultipart.complete = _complete  # type: ignore[method-assign]


def _mend_reads() -> None:
    from moto.s3.responses import S3Response

    get_object = S3Response.get_object
    get_key = S3Response._get_key
    head_object = S3Response.head_object

    def _get_object(self: Any) -> Any:
        number = self._get_int_param(_PART)
        key = _key(self) if runtime().active else None
        if key is None:
            return get_object(self)
        parts = number if key.multipart else None
        if parts:
            # moto would answer all parts as one.
            del self.querystring[_PART]
        status, headers, body = get_object(self)
        if status not in (200, 206):
            return status, headers, body
        # Others may have written the key meanwhile.
        key = vars(self).get(_READ, key)
        _set_checksum(self.headers, headers, key, number)
        if not parts:
            return status, headers, body
        first, last = _bounds(key, number)
        headers.update(_part_headers(key, first, last))
        return 206, headers, body[first : last + 1]

    def _get_key(self: Any, *arguments: Any, **named: Any) -> Any:
        key, not_modified = get_key(self, *arguments, **named)
        vars(self)[_READ] = key
        return key, not_modified

    def _head_object(self: Any, bucket_name: str, query: Any, key_name: str, headers: Any) -> Any:
        number = int(query.get(_PART, [0])[0])
        key = _key(self) if runtime().active else None
        parts = bool(number and key is not None and key.multipart)
        asked = {one: query[one] for one in query if not parts or one != _PART}
        status, given, body = head_object(self, bucket_name, asked, key_name, headers)
        if key is None or status not in (200, 206):
            return status, given, body
        _set_checksum(headers, given, key, number)
        if not parts:
            return status, given, body
        first, last = _bounds(key, number)
        given.update(_part_headers(key, first, last))
        return 206, given, body

    S3Response._get_key = _get_key  # type: ignore[method-assign]
    S3Response.get_object = _get_object  # type: ignore[method-assign]
    S3Response.head_object = _head_object  # type: ignore[method-assign]


def _mend_attributes() -> None:
    from moto.core.serialize import S3Serializer
    from moto.s3.models import S3Backend
    from moto.s3.responses import S3Response

    attributes_of = S3Backend.get_object_attributes

    def _get_attributes(self: Any, key: Any, attributes_to_get: list[str]) -> dict[str, Any]:
        asked = [name.strip() for name in attributes_to_get]
        return attributes_of(self, key, asked)

    serialized = S3Response.serialized
    in_moto = S3Serializer._serialize_body

    def _serialized(self: Any, action_result: Any) -> Any:
        result = action_result.result
        is_attributes = self.data.get("Action") == "GetObjectAttributes"
        if runtime().active and is_attributes and isinstance(result, dict):
            _add_parts(self, result)
        return serialized(self, action_result)

    def _serialize_body(self: Any, body: Mapping[str, Any]) -> Any:
        if runtime().active:
            body = {_ROOTS.get(name, name): value for name, value in body.items()}
        return in_moto(self, body)

    S3Backend.get_object_attributes = _get_attributes  # type: ignore[method-assign]
    S3Response.serialized = _serialized  # type: ignore[method-assign]
    S3Serializer._serialize_body = _serialize_body  # type: ignore[method-assign]


def _key(response: Any) -> Any | None:
    """Return the object that a request names; `None` where moto refuses it."""
    version = response.querystring.get("versionId", [None])[0]
    bucket = response.backend.buckets.get(response.bucket_name)
    if bucket is None:
        return None
    versions = bucket.keys.getlist(response.parse_key_name(), [])
    if version is not None:
        versions = [one for one in versions if one.version_id == version]
    found = versions[-1] if versions else None
    return found if hasattr(found, "etag") else None  # a delete marker has none


def _bounds(key: Any, number: int) -> tuple[int, int]:
    """Return the positions of a part's first and last byte; parts are counted from 1."""
    sizes = [key.multipart.parts[one].size for one in completed_parts(key)]
    first = sum(sizes[: number - 1])
    return first, first + sizes[number - 1] - 1


def _part_headers(key: Any, first: int, last: int) -> dict[str, str]:
    return {
        "content-length": str(last - first + 1),
        "content-range": f"bytes {first}-{last}/{key.size}",
        "x-amz-mp-parts-count": str(len(completed_parts(key))),
    }


def _set_checksum(asked: Any, headers: dict[str, Any], key: Any, number: int | None) -> None:
    """Answer the checksum where a request asks for it: that of the object, or that of a part."""
    for name in [one for one in headers if one.lower().startswith(_PREFIX)]:
        del headers[name]
    wanted = str(asked.get("x-amz-checksum-mode", "")).upper() == "ENABLED"
    if not wanted or not key.checksum_algorithm or not key.checksum_value:
        return
    composite = key.checksum_type == checksums.COMPOSITE
    value = f"{key.checksum_value}-{key.checksum_parts}" if composite else key.checksum_value
    if number and key.multipart:
        numbers = completed_parts(key)
        part = key.multipart.parts[numbers[number - 1]]
        if composite:
            value = checksum_of(part, key.checksum_algorithm)
        elif len(numbers) > 1:
            return  # a part has no checksum of the full object
    if value is not None:
        headers[f"{_PREFIX}{key.checksum_algorithm.lower()}"] = value
        headers[f"{_PREFIX}type"] = key.checksum_type


def _add_parts(response: Any, result: dict[str, Any]) -> None:
    key = _key(response)
    attributes = response.headers.get("x-amz-object-attributes", "")
    asked = [name.strip() for name in attributes.split(",")]
    if key is None or not key.multipart or "ObjectParts" not in asked:
        return
    numbers = completed_parts(key)
    found: dict[str, Any] = {"TotalPartsCount": len(numbers)}
    if key.checksum_type == checksums.COMPOSITE:
        limit = min(int(response.headers.get("x-amz-max-parts") or _PAGE), _PAGE)
        marker = int(response.headers.get("x-amz-part-number-marker") or 0)
        after = [one for one in numbers if one > marker]
        page = after[:limit]
        found.update(
            PartNumberMarker=marker,
            NextPartNumberMarker=(page or [0])[-1],
            MaxParts=limit,
            IsTruncated=len(after) > limit,
            Parts=[_part(key, one) for one in page],
        )
    result["ObjectParts"] = found


def _part(key: Any, number: int) -> dict[str, Any]:
    part = key.multipart.parts[number]
    found = {"PartNumber": number, "Size": part.size}
    value = checksum_of(part, key.checksum_algorithm)
    if value is not None:
        found[f"Checksum{key.checksum_algorithm}"] = value
    return found
