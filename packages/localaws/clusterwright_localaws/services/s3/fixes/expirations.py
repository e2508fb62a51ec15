"""moto's answers do not say when an object expires by a lifecycle rule.

https://docs.aws.amazon.com/AmazonS3/latest/API/API_HeadObject.html (x-amz-expiration)
https://docs.aws.amazon.com/AmazonS3/latest/userguide/intro-lifecycle-rules.html
A version that a request names has none, as recorded on AWS: docs/reference/probes.md, source
`localstack`.
"""

from __future__ import annotations

import base64
import uuid
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any, Final
from urllib.parse import quote

from clusterwright_localaws.core.runtime import runtime

MOTO_VERSION = "5.2.5"
DESCRIPTION = "S3: answers name the day on which an object expires, and the rule"
_HEADER: Final = "x-amz-expiration"
_GIVEN: Final = "given_lifecycle_rules"
_DAY: Final = timedelta(days=1)
_FIRST_REFUSAL: Final = 300


def apply() -> None:
    from moto.s3.responses import S3Response

    get_object = S3Response.get_object
    head_object = S3Response.head_object
    put_object = S3Response.put_object

    def _get_object(self: Any) -> Any:
        return _with_expiration(self, get_object(self))

    def _put_object(self: Any) -> Any:
        return _with_expiration(self, put_object(self))

    def _head_object(self: Any, bucket_name: str, query: Any, key_name: str, headers: Any) -> Any:
        return _with_expiration(self, head_object(self, bucket_name, query, key_name, headers))

    S3Response.get_object = _get_object  # type: ignore[method-assign]
    S3Response.head_object = _head_object  # type: ignore[method-assign]
    S3Response.put_object = _put_object  # type: ignore[method-assign]


def keep_rules(bucket: Any, rules: list[Mapping[str, Any]], smallest: str) -> None:
    """Keep the rules of a request, and the smallest objects of their transitions."""
    named = [{"ID": _new_id(), **rule} for rule in rules]
    setattr(bucket, _GIVEN, (named, smallest))


def _new_id() -> str:
    # In the form that users quote in aws/aws-sdk-go-v2#3165.
    return base64.b64encode(str(uuid.uuid4()).encode()).decode()


def kept_rules(bucket: Any) -> tuple[list[Mapping[str, Any]], str] | None:
    """Return what was kept, or `None`; moto drops its own rules with the configuration."""
    found: tuple[list[Mapping[str, Any]], str] | None = getattr(bucket, _GIVEN, None)
    return found if bucket.rules else None


def _with_expiration(response: Any, answer: Any) -> Any:
    status, headers, body = answer
    if not runtime().active or status >= _FIRST_REFUSAL or "versionId" in response.querystring:
        return answer
    bucket = response.backend.buckets.get(response.bucket_name)
    kept = kept_rules(bucket) if bucket is not None else None
    if kept is None:
        return answer
    rules, _ = kept
    key = bucket.keys.get(response.parse_key_name())
    if not hasattr(key, "etag"):  # a delete marker has none
        return answer
    tags = {one["Key"]: one["Value"] for one in response.backend.get_object_tagging(key)["Tags"]}
    found = sorted(_expirations(rules, key, tags), key=lambda one: one[0])
    if not found:
        return answer
    day, rule = found[0]
    text = f'expiry-date="{format_datetime(day, usegmt=True)}", rule-id="{quote(rule, safe="")}"'
    return status, {**headers, _HEADER: text}, body


def _expirations(
    rules: list[Mapping[str, Any]], key: Any, tags: Mapping[str, str]
) -> Iterator[tuple[datetime, str]]:
    """Yield when each rule that an object meets lets it expire, and the rule's id."""
    for rule in rules:
        expiration = rule.get("Expiration") or {}
        if rule.get("Status") != "Enabled" or not _meets(rule, key, tags):
            continue
        if expiration.get("Date"):
            day = expiration["Date"]
            yield day if day.tzinfo else day.replace(tzinfo=UTC), rule.get("ID", "")
        elif expiration.get("Days"):
            modified = key.last_modified.replace(tzinfo=UTC)
            midnight = modified.replace(hour=0, minute=0, second=0, microsecond=0)
            yield midnight + (expiration["Days"] + 1) * _DAY, rule.get("ID", "")


def _meets(rule: Mapping[str, Any], key: Any, tags: Mapping[str, str]) -> bool:
    given = rule.get("Filter") or {}
    parts = {**given, **(given.get("And") or {})}
    wanted = [*parts.get("Tags", []), *([given["Tag"]] if given.get("Tag") else [])]
    prefix = parts.get("Prefix") or rule.get("Prefix") or ""
    return (
        key.name.startswith(prefix)
        and all(tags.get(one["Key"]) == one["Value"] for one in wanted)
        and key.size > parts.get("ObjectSizeGreaterThan", -1)
        and key.size < parts.get("ObjectSizeLessThan", key.size + 1)
    )
