"""moto names owners by a display name, and lists versions without regard to `EncodingType`.

S3 has no display names of owners since November 2025.
https://docs.aws.amazon.com/AmazonS3/latest/API/API_Owner.html
https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListObjectVersions.html
"""

from __future__ import annotations

from typing import Any, Final
from urllib.parse import quote

from clusterwright_localaws.core.runtime import runtime

MOTO_VERSION = "5.2.5"
DESCRIPTION = (
    "S3: owners have no DisplayName; ListObjectVersions encodes names where EncodingType is url"
)
OWNER: Final = "75aa57f09aa0c8caeab4f8c24e99d10f8e7faeebf76c078efc7c6caea54ba06a"
_ENCODED: Final = ("Delimiter", "KeyMarker", "NextKeyMarker", "Prefix")


def apply() -> None:
    from moto.s3.responses import S3Response

    serialized = S3Response.serialized

    def _serialized(self: Any, action_result: Any) -> Any:
        result = action_result.result
        if runtime().active and isinstance(result, dict):
            _drop_names(result)
            if self.data.get("Action") == "ListBuckets":
                # moto's owner of buckets is not that of their lists and objects.
                result["Owner"]["ID"] = OWNER
            if self.data.get("Action") == "ListObjectVersions":
                _encode(result, self.querystring.get("encoding-type", [None])[0])
        return serialized(self, action_result)

    S3Response.serialized = _serialized  # type: ignore[method-assign]


def _drop_names(value: Any) -> None:
    if isinstance(value, list):
        for each in value:
            _drop_names(each)
    elif isinstance(value, dict):
        for name, each in value.items():
            if name in ("Owner", "Grantee") and isinstance(each, dict):
                each.pop("DisplayName", None)
            else:
                _drop_names(each)


def _encode(result: dict[str, Any], encoding: str | None) -> None:
    if encoding != "url":
        return
    result["EncodingType"] = encoding
    prefixes = result.get("CommonPrefixes") or []
    listed = [*result["Versions"], *result["DeleteMarkers"], *prefixes]
    for item in [result, *listed]:
        for name in (*_ENCODED, "Key"):
            if item.get(name):
                item[name] = quote(item[name])
