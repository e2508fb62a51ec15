"""The access key id that signed a request."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import parse_qs

_CREDENTIAL = re.compile(r"Credential=([^/,\s]+)/")
_ACCOUNT = re.compile(r"\d{12}")


def is_account(key: str) -> bool:
    """Return whether an access key id is an account number."""
    return _ACCOUNT.fullmatch(key) is not None


def access_key_of(request: Any) -> str | None:
    """Return the access key id that signed the request, or `None` for an unsigned request."""
    match = _CREDENTIAL.search(str(request.headers.get("Authorization", "")))
    if match:
        return str(match.group(1))
    query = parse_qs(request.query_string.decode("ascii", "replace"))
    for name in ("X-Amz-Credential", "AWSAccessKeyId"):
        if name in query:
            return str(query[name][0]).split("/", maxsplit=1)[0]
    return None
