"""moto forgets the versions of a bucket whose versioning is suspended, and deletes unlike S3.

https://docs.aws.amazon.com/AmazonS3/latest/userguide/AddingObjectstoVersionSuspendedBuckets.html
https://docs.aws.amazon.com/AmazonS3/latest/userguide/DeletingObjectsfromVersioningSuspendedBuckets.html
https://docs.aws.amazon.com/AmazonS3/latest/userguide/DeletingObjectVersions.html
Answers recorded on AWS: docs/reference/probes.md, source `localstack`.
"""

from __future__ import annotations

from contextvars import ContextVar
from types import SimpleNamespace
from typing import Any, Final

from clusterwright_localaws.core.runtime import runtime
from clusterwright_localaws.services.s3.conditional_writes import overtake
from clusterwright_localaws.services.s3.fixes.version_ids import NULL, is_version_id
from clusterwright_localaws.services.s3.world_buckets import find_version

MOTO_VERSION = "5.2.5"
DESCRIPTION = (
    "S3: a bucket with suspended versioning keeps its versions, and writes and deletes the "
    "version `null`; every deletion without a version leaves a delete marker; the deletion of a "
    "marker says so; DeleteObjects refuses unknown versions"
)
_SUSPENDED: Final = "Suspended"
_WRITES_NULL: ContextVar[bool] = ContextVar("writes-null", default=False)
_VERSION: Final = "x-amz-version-id"
_REDIRECTIONS: Final = 300
_LOCKED: Final = "Access Denied because object protected by object lock."


class _Refused(str):
    """The key of an object that was not deleted."""

    code: str
    message: str
    version: str | None


def apply() -> None:
    from moto.s3.models import FakeBucket

    versioned: Any = FakeBucket.is_versioned

    def is_versioned(self: Any) -> bool:
        suspended = runtime().active and self.versioning_status == _SUSPENDED
        return suspended or bool(versioned.fget(self))

    FakeBucket.is_versioned = property(is_versioned)  # type: ignore[assignment,method-assign]
    _write()
    _delete()
    _answer()


def _write() -> None:
    from moto.s3.models import FakeKey, S3Backend

    new_key = FakeKey.__init__
    put_object = S3Backend.put_object

    def _new_key(self: Any, *arguments: Any, **named: Any) -> None:
        if _WRITES_NULL.get():
            named.update(version_id=NULL, is_versioned=False)
        new_key(self, *arguments, **named)

    def _put_object(self: Any, bucket_name: str, key_name: str, *more: Any, **named: Any) -> Any:
        bucket = self.get_bucket(bucket_name)
        if not runtime().active or bucket.versioning_status != _SUSPENDED:
            return put_object(self, bucket_name, key_name, *more, **named)
        with runtime().lock:
            token = _WRITES_NULL.set(True)
            try:
                written = put_object(self, bucket_name, key_name, *more, **named)
            finally:
                _WRITES_NULL.reset(token)
            _keep(bucket, key_name, written)
        return written

    FakeKey.__init__ = _new_key  # type: ignore[method-assign]
    S3Backend.put_object = _put_object  # type: ignore[method-assign]


def _keep(bucket: Any, key_name: str, newest: Any) -> None:
    """Leave one version `null` of a key, the newest."""
    older = [
        one
        for one in bucket.keys.getlist(key_name, [])
        if one is not newest and one.version_id != NULL
    ]
    bucket.keys.setlist(key_name, [*older, newest])


def _delete() -> None:
    from moto.s3.exceptions import AccessDeniedByLock
    from moto.s3.models import S3Backend

    delete_object = S3Backend.delete_object

    def _delete_object(
        self: Any, bucket_name: str, key_name: str, version_id: str | None = None, **named: Any
    ) -> Any:
        bucket = self.get_bucket(bucket_name)
        if not runtime().active or (version_id is None and not bucket.is_versioned):
            return delete_object(self, bucket_name, key_name, version_id=version_id, **named)
        with runtime().lock:
            if version_id is None:
                marker = _mark(bucket, key_name)
                return True, {"version-id": marker.version_id, "delete-marker": "true"}
            found = find_version(bucket, key_name, version_id)
            if not bucket.is_versioned:
                return delete_object(self, bucket_name, key_name, **named) if found else (True, {})
            delete_object(self, bucket_name, key_name, version_id=version_id, **named)
        answer = {"version-id": version_id}
        if _is_marker(found):
            answer["delete-marker"] = "true"
        return True, answer

    def _delete_objects(
        self: Any, bucket_name: str, objects: list[dict[str, Any]], bypass_retention: bool = False
    ) -> Any:
        if not runtime().active:
            return delete_objects(self, bucket_name, objects, bypass_retention)
        deleted: list[tuple[str, str | None, str | None]] = []
        refused: list[str] = []
        for one in objects:
            key, version = one["Key"], one.get("VersionId")
            if version is not None and not is_version_id(version):
                text = "The specified version does not exist."
                refused.append(_refused(key, version, "NoSuchVersion", text))
                continue
            try:
                _, answer = self.delete_object(
                    bucket_name, key, version_id=version, bypass=bypass_retention
                )
            except AccessDeniedByLock:
                refused.append(_refused(key, version, "AccessDenied", _LOCKED))
                continue
            marked = answer.get("version-id") if "delete-marker" in answer else None
            deleted.append((key, version, marked))
        return deleted, refused

    delete_objects = S3Backend.delete_objects
    S3Backend.delete_object = _delete_object  # type: ignore[method-assign,assignment]
    S3Backend.delete_objects = _delete_objects  # type: ignore[method-assign]


def _mark(bucket: Any, key_name: str) -> Any:
    from moto.s3.models import FakeDeleteMarker

    marker = FakeDeleteMarker(key=SimpleNamespace(name=key_name))  # type: ignore[arg-type]
    if bucket.versioning_status == _SUSPENDED:
        marker._version_id = NULL
        _keep(bucket, key_name, marker)
    else:
        bucket.keys.setlist(key_name, [*bucket.keys.getlist(key_name, []), marker])
    overtake(bucket, key_name)
    return marker


def _is_marker(found: Any) -> bool:
    from moto.s3.models import FakeDeleteMarker

    return isinstance(found, FakeDeleteMarker)


def _refused(key: str, version: str | None, code: str, message: str) -> str:
    refused = _Refused(key)
    refused.code, refused.message, refused.version = code, message, version
    return refused


def _answer() -> None:
    from moto.s3.responses import S3Response

    serialized = S3Response.serialized
    get_object = S3Response.get_object
    head_object = S3Response.head_object

    def _serialized(self: Any, action_result: Any) -> Any:
        result: Any = action_result.result
        if self.data.get("Action") == "DeleteObjects" and isinstance(result, dict):
            for error in result["Errors"]:
                key = error["Key"]
                if isinstance(key, _Refused):
                    error.update(Code=key.code, Message=key.message, VersionId=key.version)
        return serialized(self, action_result)

    def _get_object(self: Any) -> Any:
        return _with_version(self, get_object(self))

    def _head_object(
        self: Any, bucket_name: str, query: dict[str, Any], key_name: str, headers: Any
    ) -> Any:
        asks_null = runtime().active and query.get("versionId") == [NULL]
        if asks_null and not self.backend.get_bucket(bucket_name).is_versioned:
            query = {name: value for name, value in query.items() if name != "versionId"}
        return _with_version(self, head_object(self, bucket_name, query, key_name, headers))

    copy_object = S3Response.copy_object

    def _copy_object(self: Any) -> Any:
        return _with_version(self, copy_object(self))

    S3Response.copy_object = _copy_object  # type: ignore[method-assign]
    S3Response.serialized = _serialized  # type: ignore[method-assign]
    S3Response.get_object = _get_object  # type: ignore[method-assign]
    S3Response.head_object = _head_object  # type: ignore[method-assign]


def _with_version(response: Any, answer: Any) -> Any:
    """Name the version `null` in an answer from a bucket that has had others."""
    status, headers, body = answer
    unnamed = runtime().active and status < _REDIRECTIONS and _VERSION not in headers
    if unnamed and response.backend.get_bucket(response.bucket_name).versioning_status:
        headers[_VERSION] = NULL
    return status, headers, body
