"""Presigned URLs: those that have expired or lack parameters, and headers in them.

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
_OF_THE_SIGNATURE: Final = frozenset(
    {*(name.lower() for name in _VERSION_4), "x-amz-security-token", "x-amz-content-sha256"}
)
_CONDITIONS: Final = frozenset({"if-match", "if-none-match"})
# SDKs for JavaScript add that of an empty body.
_CHECKSUMS: Final = ("x-amz-checksum-", "x-amz-sdk-checksum-")
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


def take_headers(request: Any) -> None:
    """Add to a request the headers that its signed URL has as parameters, where it lacks them.

    Checksums count only if they are among the signed headers.
    """
    if "X-Amz-Signature" not in request.args and "Signature" not in request.args:
        return
    signed = request.args.get("X-Amz-SignedHeaders", "").lower().split(";")
    for given, value in request.args.items():
        name = given.lower()
        is_header = name in _CONDITIONS or name.startswith("x-amz-")
        ignored = name in _OF_THE_SIGNATURE or (name.startswith(_CHECKSUMS) and name not in signed)
        if is_header and not ignored:
            request.environ.setdefault(f"HTTP_{name.upper().replace('-', '_')}", value)


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
