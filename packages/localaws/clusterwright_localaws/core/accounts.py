"""The account that a request is made in."""

from __future__ import annotations

from typing import Any

from clusterwright_localaws.core.credentials import access_key_of, is_account
from clusterwright_localaws.core.runtime import runtime
from clusterwright_localaws.iam.inside import is_inside

ACCOUNT_HEADER = "x-moto-account-id"


def account_of(request: Any) -> str:
    """Return the account of a request.

    In this order: a 12-digit access key id; the account that the local STS or IAM issued the key
    in; the world's (`--account` replaces it).
    """
    named = request.headers.get(ACCOUNT_HEADER)
    # The header of an external request would bypass IAM if IAM is enforced.
    if named and (is_inside() or runtime().world.iam != "enforced"):
        return str(named)
    key = access_key_of(request)
    if key is None:
        return runtime().world.account
    if is_account(key):
        return key
    return _session_in(key) or _issued_in(key) or runtime().world.account


def _session_in(key: str) -> str | None:
    """Return the account of a session of our STS, which is used where IAM is enforced."""
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
