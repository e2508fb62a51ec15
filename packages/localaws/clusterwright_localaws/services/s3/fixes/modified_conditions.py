"""moto compares an object's time with times in the future, which S3 ignores.

https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetObject.html (If-Modified-Since)
Recorded on AWS: docs/reference/probes.md, source `localstack`.
"""

from __future__ import annotations

from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, Final

from clusterwright_localaws.core.runtime import runtime

MOTO_VERSION = "5.2.5"
DESCRIPTION = "S3: If-Modified-Since with a time in the future is ignored"
_HEADER: Final = "if-modified-since"


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
    from requests.structures import CaseInsensitiveDict

    given = headers.get("If-Modified-Since")
    try:
        is_future = bool(given) and parsedate_to_datetime(given) > datetime.now(UTC)
    except (TypeError, ValueError):
        is_future = False
    if not is_future:
        return headers
    return CaseInsensitiveDict(
        {name: value for name, value in dict(headers).items() if name.lower() != _HEADER}
    )
