"""Presigned URLs that have expired or lack parameters.

https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-query-string-auth.html
Errors recorded on AWS: docs/reference/probes.md, source `localstack`.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from clusterwright_localaws.core.errors import AwsError

_VERSION_4: Final = (
    *("X-Amz-Algorithm", "X-Amz-Credential", "X-Amz-Signature", "X-Amz-Date"),
    *("X-Amz-SignedHeaders", "X-Amz-Expires"),
)
_VERSION_2: Final = ("Signature", "Expires", "AWSAccessKeyId")
_TIME: Final = "%Y%m%dT%H%M%SZ"
_SHOWN_TIME: Final = "%Y-%m-%dT%H:%M:%SZ"


def check_url(query: Mapping[str, str], now: datetime) -> None:
    """Check the parameters of a request with which its URL was signed, if it was.

    Parameters
    ----------
    now:
        The time of clients, which signed the URL.

    Raises
    ------
    AwsError
        AccessDenied, AuthorizationQueryParametersError
    """
    if any(name in query for name in _VERSION_4[:4]):
        if not all(name in query for name in _VERSION_4):
            raise AwsError(
                "AuthorizationQueryParametersError",
                "Query-string authentication version 4 requires the X-Amz-Algorithm, "
                "X-Amz-Credential, X-Amz-Signature, X-Amz-Date, X-Amz-SignedHeaders, and "
                "X-Amz-Expires parameters.",
                400,
            )
        given = query["X-Amz-Expires"]
        try:
            began = datetime.strptime(query["X-Amz-Date"], _TIME).replace(tzinfo=UTC)
            until = began + timedelta(seconds=int(given))
        except (OverflowError, ValueError):
            return
        _check_time(until, now, **{"X-Amz-Expires": given})
    elif "Signature" in query or "AWSAccessKeyId" in query:
        if not all(name in query for name in _VERSION_2):
            text = (
                "Query-string authentication requires the Signature, Expires and AWSAccessKeyId "
                "parameters"
            )
            raise AwsError("AccessDenied", text, 403)
        try:
            until = datetime.fromtimestamp(int(query["Expires"]), UTC)
        except (OSError, OverflowError, ValueError):
            return
        _check_time(until, now)


def _check_time(until: datetime, now: datetime, **more: Any) -> None:
    if until < now:
        raise AwsError(
            "AccessDenied",
            "Request has expired",
            403,
            **more,
            Expires=until.strftime(_SHOWN_TIME),
            ServerTime=now.strftime(_SHOWN_TIME),
        )
