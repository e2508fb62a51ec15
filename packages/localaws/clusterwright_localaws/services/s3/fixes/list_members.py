"""moto's lists of objects and buckets lack members, and do not continue.

Members recorded on AWS: docs/reference/probes.md, source `localstack`.
"""

from __future__ import annotations

import base64
from typing import Any, Final
from urllib.parse import quote

from clusterwright_localaws.core.runtime import runtime

MOTO_VERSION = "5.2.5"
DESCRIPTION = (
    "S3: ListObjects has its marker, its prefix and, with a delimiter only, the next marker; "
    "ListObjectsV2 repeats its token; ListBuckets has pages, regions and ARNs"
)
_OF_BUCKETS: Final = ("prefix", "bucket-region", "max-buckets", "continuation-token")


def apply() -> None:
    from moto.s3.models import S3Backend
    from moto.s3.responses import S3Response

    serialized = S3Response.serialized
    list_buckets = S3Backend.list_buckets

    def _serialized(self: Any, action_result: Any) -> Any:
        result = action_result.result
        if runtime().active and isinstance(result, dict):
            mend = _MENDED.get(self.data.get("Action"))
            if mend is not None:
                mend(self, result)
        return serialized(self, action_result)

    def _list_buckets(
        self: Any, prefix: str | None, bucket_region: str | None, max_buckets: str | None
    ) -> Any:
        # The page is made of all of them.
        limit = None if runtime().active else max_buckets
        return list_buckets(self, prefix, bucket_region, limit)

    S3Response.serialized = _serialized  # type: ignore[method-assign]
    S3Backend.list_buckets = _list_buckets  # type: ignore[method-assign]


def _asked(response: Any, name: str) -> str:
    return str(response.querystring.get(name, [""])[0])


def _list_objects(response: Any, result: dict[str, Any]) -> None:
    encoded = result.get("EncodingType") == "url"
    encode = quote if encoded else str
    result["Marker"] = encode(_asked(response, "marker"))
    result["Prefix"] = encode(_asked(response, "prefix"))
    if not result.get("Delimiter"):
        result.pop("NextMarker", None)
        return
    result["Delimiter"] = encode(_asked(response, "delimiter"))
    for one in result["CommonPrefixes"]:
        one["Prefix"] = encode(one["Prefix"])
    if result.get("NextMarker"):
        result["NextMarker"] = encode(result["NextMarker"])


def _list_objects_v2(response: Any, result: dict[str, Any]) -> None:
    token = _asked(response, "continuation-token")
    if token:
        result["ContinuationToken"] = token
    if result.get("EncodingType") == "url":
        for member in ("StartAfter", "Delimiter"):
            if result.get(member):
                result[member] = quote(result[member])


def _list_buckets(response: Any, result: dict[str, Any]) -> None:
    if not any(name in response.querystring for name in _OF_BUCKETS):
        return
    buckets = response.backend.buckets
    listed = sorted(result["Buckets"], key=lambda one: one["Name"])
    token = _asked(response, "continuation-token")
    if token:
        after = bucket_before(token)
        listed = [one for one in listed if one["Name"] > after]
    limit = _asked(response, "max-buckets")
    if limit and len(listed) > int(limit):
        listed = listed[: int(limit)]
        last = listed[-1]["Name"].encode()
        result["ContinuationToken"] = base64.urlsafe_b64encode(last).decode()
    for one in listed:
        bucket = buckets[one["Name"]]
        one.update(BucketRegion=bucket.region_name, BucketArn=bucket.arn)
    result["Buckets"] = listed
    if _asked(response, "prefix"):
        result["Prefix"] = _asked(response, "prefix")


def bucket_before(token: str) -> str:
    """Return the bucket after which a token's page of buckets begins.

    Raises
    ------
    ValueError
        No list has the token.
    """
    return base64.urlsafe_b64decode(token).decode()


_MENDED: Final = {
    "ListObjects": _list_objects,
    "ListObjectsV2": _list_objects_v2,
    "ListBuckets": _list_buckets,
}
