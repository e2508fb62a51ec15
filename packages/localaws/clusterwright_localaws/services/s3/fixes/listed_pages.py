"""moto's pages of versions begin at the marker, and its list of uploads has one page.

Its pages of objects repeat every prefix, also those that have deleted objects only.

Pages recorded on AWS: docs/reference/probes.md, source `localstack`.
"""

from __future__ import annotations

import copy
from datetime import UTC
from typing import Any, Final
from urllib.parse import quote

from clusterwright_localaws.core.runtime import runtime
from clusterwright_localaws.services.s3.fixes.listed_names import OWNER
from clusterwright_localaws.services.s3.pages import page

MOTO_VERSION = "5.2.5"
DESCRIPTION = (
    "S3: a page of ListObjectVersions begins after its marker; a page of ListObjects counts its "
    "prefixes; ListMultipartUploads has pages, prefixes, delimiters, and the times at which "
    "uploads began"
)
_MOST: Final = 1000
_TIME: Final = "%Y-%m-%dT%H:%M:%S.000Z"


def apply() -> None:
    _objects()
    _versions()
    _uploads()


def _objects() -> None:
    from moto.s3.models import FakeTableStorageBucket, S3Backend

    in_moto = S3Backend.list_objects

    def list_objects(
        self: Any,
        bucket: Any,
        prefix: str | None,
        delimiter: str | None,
        marker: str | None,
        max_keys: int | None,
    ) -> Any:
        if not runtime().active or isinstance(bucket, FakeTableStorageBucket):
            return in_moto(self, bucket, prefix, delimiter, marker, max_keys)
        newest = [key for _, key in sorted(bucket.keys.items()) if hasattr(key, "etag")]
        found = page(
            newest,
            lambda key: (key.name, ""),
            limit=len(newest) if max_keys is None else min(max_keys, _MOST),
            prefix=prefix or "",
            delimiter=delimiter or "",
            after_key=marker or "",
        )
        last = found.last if isinstance(found.last, str) else getattr(found.last, "name", None)
        following = last if found.is_truncated else None
        return found.entries, found.prefixes, found.is_truncated, following

    S3Backend.list_objects = list_objects  # type: ignore[method-assign]


def _versions() -> None:
    from moto.s3.models import S3Backend

    in_moto = S3Backend.list_object_versions

    def list_object_versions(
        self: Any,
        bucket_name: str,
        delimiter: str | None = None,
        key_marker: str | None = None,
        max_keys: int | None = _MOST,
        prefix: str = "",
        version_id_marker: str | None = None,
    ) -> Any:
        if not runtime().active:
            return in_moto(
                self, bucket_name, delimiter, key_marker, max_keys, prefix, version_id_marker
            )
        bucket = self.get_bucket(bucket_name)
        keys = sorted(bucket.keys.iterlists())
        found = page(
            [(one, one is versions[-1]) for _, versions in keys for one in reversed(versions)],
            lambda entry: (entry[0].name, entry[0].version_id),
            limit=_MOST if max_keys is None else min(max_keys, _MOST),
            prefix=prefix or "",
            delimiter=delimiter or "",
            after_key=key_marker or "",
            after_id=version_id_marker or "",
        )
        listed = [_copied(*entry) for entry in found.entries]
        next_key = next_version = None
        if found.is_truncated:
            next_key = found.last
            if not isinstance(found.last, str):
                next_key, next_version = found.last[0].name, found.last[0].version_id
        return (
            [one for one in listed if hasattr(one, "etag")],
            found.prefixes,
            [one for one in listed if not hasattr(one, "etag")],
            next_key,
            next_version,
        )

    S3Backend.list_object_versions = list_object_versions  # type: ignore[method-assign]


def _copied(version: Any, is_latest: bool) -> Any:
    copied = copy.deepcopy(version)
    copied.is_latest = is_latest
    return copied


def _uploads() -> None:
    from moto.s3.models import FakeMultipart
    from moto.s3.responses import S3Response

    initialise = FakeMultipart.__init__
    in_moto = S3Response.list_multipart_uploads

    def __init__(self: Any, *arguments: Any, **named: Any) -> None:  # noqa: N807
        initialise(self, *arguments, **named)
        if runtime().active:
            self.initiated = runtime().clock.now()

    def list_multipart_uploads(self: Any) -> Any:
        from moto.core.responses import ActionResult

        if not runtime().active:
            return in_moto(self)
        self.data["Action"] = "ListMultipartUploads"
        return self.serialized(ActionResult(_list(self)))

    FakeMultipart.__init__ = __init__  # type: ignore[method-assign]
    S3Response.list_multipart_uploads = list_multipart_uploads  # type: ignore[method-assign]


def _list(response: Any) -> dict[str, Any]:
    def asked(name: str, default: str = "") -> str:
        return str(response.querystring.get(name, [default])[0])

    key_marker = asked("key-marker")
    upload_marker = asked("upload-id-marker") if key_marker else ""
    limit = min(int(asked("max-uploads", str(_MOST))), _MOST)
    uploads = response.backend.list_multipart_uploads(response.bucket_name)
    found = page(
        sorted(uploads.values(), key=lambda upload: upload.key_name),
        lambda upload: (upload.key_name, upload.id),
        limit=limit,
        prefix=asked("prefix"),
        delimiter=asked("delimiter"),
        after_key=key_marker,
        after_id=upload_marker,
    )
    encode = quote if asked("encoding-type") == "url" else str
    last, last_id = "", ""
    # As recorded, a page that ends with a prefix names no next marker, even if others follow.
    if found.last is not None and not isinstance(found.last, str):
        last, last_id = found.last.key_name, found.last.id
    result: dict[str, Any] = {
        "Bucket": response.bucket_name,
        "KeyMarker": encode(key_marker),
        "UploadIdMarker": upload_marker,
        "NextKeyMarker": encode(last),
        "NextUploadIdMarker": last_id,
        "MaxUploads": limit,
        "IsTruncated": found.is_truncated,
        "Uploads": [_upload(response, one, encode(one.key_name)) for one in found.entries],
    }
    if found.prefixes:
        result["CommonPrefixes"] = [{"Prefix": encode(one)} for one in found.prefixes]
    for name, member in (("prefix", "Prefix"), ("delimiter", "Delimiter")):
        if asked(name):
            result[member] = encode(asked(name))
    if encode is quote:
        result["EncodingType"] = "url"
    return result


def _upload(response: Any, upload: Any, key: str) -> dict[str, Any]:
    initiator = f"arn:aws:iam::{response.current_account}:root"
    return {
        "Key": key,
        "UploadId": upload.id,
        "Initiator": {"ID": initiator, "DisplayName": "root"},
        "Owner": {"ID": OWNER},
        "StorageClass": upload.storage or "STANDARD",
        "Initiated": upload.initiated.astimezone(UTC).strftime(_TIME),
        "ChecksumAlgorithm": upload.metadata.get("x-amz-checksum-algorithm"),
        "ChecksumType": upload.metadata.get("x-amz-checksum-type"),
    }
