"""The notice in the instance metadata service (version 2)."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from dataclasses import dataclass

METADATA = "http://169.254.169.254"
_TIMEOUT_SECONDS = 3.0
_TTL = {"X-aws-ec2-metadata-token-ttl-seconds": "60"}
_NONE = 404


@dataclass(frozen=True)
class Notice:
    """`action` is terminate, stop or hibernate; `time` as EC2 writes it, in UTC."""

    action: str
    time: str


def read_notice(endpoint: str = METADATA) -> Notice | None:
    """The current notice, None if there is none.

    Raises
    ------
    OSError
        The service does not answer, or refuses.
    ValueError
        Its answer is not a notice.
    """
    try:
        token = _ask(endpoint, "PUT", "/latest/api/token", _TTL)
        text = _ask(
            endpoint,
            "GET",
            "/latest/meta-data/spot/instance-action",
            {"X-aws-ec2-metadata-token": token},
        )
    except urllib.error.HTTPError as error:
        if error.code == _NONE:
            return None
        raise
    found = json.loads(text)
    if not isinstance(found, dict) or not all(
        isinstance(found.get(name), str) for name in ("action", "time")
    ):
        raise ValueError(f"not a notice: {text[:200]!r}")
    return Notice(found["action"], found["time"])


def _ask(endpoint: str, method: str, path: str, headers: dict[str, str]) -> str:
    address = endpoint + path
    request = urllib.request.Request(address, method=method, headers=headers)  # noqa: S310  ours
    # Without a proxy: the service answers the instance only.
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(request, timeout=_TIMEOUT_SECONDS) as answer:
        text: str = answer.read().decode()
    return text
