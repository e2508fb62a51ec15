"""moto evaluates all conditions of a read, and S3 not those that others make irrelevant.

https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetObject.html: If-Unmodified-Since is ignored
beside If-Match, If-Modified-Since beside If-None-Match, and with a time in the future.
Recorded on AWS: docs/reference/probes.md, source `localstack`.
"""

from __future__ import annotations

from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, Final

from clusterwright_localaws.core.runtime import runtime

MOTO_VERSION = "5.2.5"
DESCRIPTION = (
    "S3: of the conditions of a read the time is ignored beside an ETag, and If-Modified-Since "
    "with a time in the future; ETags without quotation marks are those with them"
)
_MODIFIED: Final = "if-modified-since"
_MATCH: Final = "if-match"
# Conditions, and those that make them irrelevant.
_BESIDE: Final = {"if-unmodified-since": _MATCH, _MODIFIED: "if-none-match"}


def apply() -> None:
    from moto.s3.responses import S3Response

    get_key = S3Response._get_key
    head_object = S3Response.head_object

    def _get_key(self: Any, *arguments: Any, **named: Any) -> Any:
        if runtime().active:
            self.headers = _regarded(self.headers)
        return get_key(self, *arguments, **named)

    def _head_object(self: Any, bucket_name: str, query: Any, key_name: str, headers: Any) -> Any:
        regarded = _regarded(headers) if runtime().active else headers
        return head_object(self, bucket_name, query, key_name, regarded)

    S3Response._get_key = _get_key  # type: ignore[method-assign]
    S3Response.head_object = _head_object  # type: ignore[method-assign]


def _regarded(headers: Any) -> Any:
    """Return the headers of a read without the conditions that are ignored."""
    from requests.structures import CaseInsensitiveDict

    given = {name.lower(): name for name in dict(headers)}
    ignored = {one for one, other in _BESIDE.items() if other in given}
    if _MATCH in given and headers[given[_MATCH]] == "*":  # any object
        ignored.add(_MATCH)
    if _MODIFIED in given and _is_future(headers[given[_MODIFIED]]):
        ignored.add(_MODIFIED)
    found = CaseInsensitiveDict(
        {name: value for name, value in dict(headers).items() if name.lower() not in ignored}
    )
    for name in _BESIDE.values():
        if name in found and found[name] != "*":
            found[name] = '"{}"'.format(found[name].strip('"'))
    return found


def _is_future(given: str) -> bool:
    try:
        return parsedate_to_datetime(given) > datetime.now(UTC)
    except (TypeError, ValueError):
        return False
