"""The AWS account of this node, from its instance identity document.

The metadata service answers root, and other users where the platform does not restrict it.
Source: EC2 user guide, "Instance identity documents for EC2 instances" (`accountId`).
"""

from __future__ import annotations

import json
import re
import urllib.request

UNKNOWN = "unknown"
METADATA = "http://169.254.169.254"
_TIMEOUT_SECONDS = 1.0
_TTL = {"X-aws-ec2-metadata-token-ttl-seconds": "60"}
_DOCUMENT = "/latest/dynamic/instance-identity/document"


def of_instance() -> str:
    """The account; `unknown` where the service does not answer this user."""
    try:
        found = json.loads(read_document())
    except (OSError, ValueError):
        return UNKNOWN
    account = str(found.get("accountId")) if isinstance(found, dict) else ""
    return account if re.fullmatch(r"[0-9]{12}", account) else UNKNOWN


def read_document() -> str:
    """The text of the document. Raises OSError."""
    token = _ask("PUT", "/latest/api/token", _TTL)
    return _ask("GET", _DOCUMENT, {"X-aws-ec2-metadata-token": token})


def _ask(method: str, path: str, headers: dict[str, str]) -> str:
    address = METADATA + path
    request = urllib.request.Request(address, method=method, headers=headers)  # noqa: S310  ours
    # Without a proxy: the service answers the instance only.
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(request, timeout=_TIMEOUT_SECONDS) as answer:
        text: str = answer.read().decode()
    return text
