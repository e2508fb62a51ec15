"""Which account a request is made in."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import parse_qs

from clusterwright_localaws.core.runtime import runtime
from clusterwright_localaws.iam.inside import is_inside

ACCOUNT_HEADER = "x-moto-account-id"
_CREDENTIAL = re.compile(r"Credential=([^/,\s]+)/")
_ACCOUNT = re.compile(r"\d{12}")


def account_of(request: Any) -> str:
    """The account of a request.

    In this order: a 12-digit access key id; the account that the local STS or IAM issued the key
    in; the world's (`--account` replaces it).
    """
    named = request.headers.get(ACCOUNT_HEADER)
    # From outside it would be a way around IAM, where that is enforced.
    if named and (is_inside() or runtime().world.iam != "enforced"):
        return str(named)
    key = access_key_of(request)
    if key is None:
        return runtime().world.account
    if _ACCOUNT.fullmatch(key):
        return key
    return _session_in(key) or _issued_in(key) or runtime().world.account


def is_account(key: str) -> bool:
    """Say whether an access key id is an account's number."""
    return _ACCOUNT.fullmatch(key) is not None


def access_key_of(request: Any) -> str | None:
    """The access key id that signed the request, or `None` for an unsigned one."""
    match = _CREDENTIAL.search(str(request.headers.get("Authorization", "")))
    if match:
        return str(match.group(1))
    query = parse_qs(request.query_string.decode("ascii", "replace"))
    for name in ("X-Amz-Credential", "AWSAccessKeyId"):
        if name in query:
            return str(query[name][0]).split("/", maxsplit=1)[0]
    return None


def _session_in(key: str) -> str | None:
    """The account of a session of our own STS, which works where IAM is enforced."""
    if runtime().world.iam != "enforced":
        return None
    from clusterwright_localaws.iam.callers import sessions_of

    session = sessions_of(runtime()).by_key.get(key)
    return session.caller.account if session else None


def _issued_in(key: str) -> str | None:
    from moto.iam.models import iam_backends

    for account, backends in list(iam_backends.items()):
        for backend in list(backends.values()):
            if key in backend.access_keys:
                return str(account)
    return None
