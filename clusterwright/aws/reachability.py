"""Whether the Price List can be asked without making the user wait.

Prices are read from AWS by default where that costs nothing: credentials are configured, the
endpoint is AWS's own, and it accepts a connection at once. Nothing is sent.
"""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from clusterwright.aws.pricing import endpoint_region

CONNECT_SECONDS: Final = 1.0
_CREDENTIALS: Final = (
    "AWS_ACCESS_KEY_ID",
    "AWS_PROFILE",
    "AWS_WEB_IDENTITY_TOKEN_FILE",
    "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
    "AWS_CONTAINER_CREDENTIALS_FULL_URI",
)
_PROXIES: Final = ("HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy")
_HTTPS_PORT: Final = 443


def price_list_in_reach(
    environment: Mapping[str, str],
    region: str,
    attempt: Callable[[str], bool] | None = None,
) -> bool:
    """Whether credentials are configured and the Price List's endpoint accepts a connection.

    False with another endpoint (`AWS_ENDPOINT_URL...`), whose prices are not AWS's, and behind a
    proxy, where a direct connection says nothing. An instance role alone is not looked for: the
    metadata service answers slowly where there is none.

    Parameters
    ----------
    attempt:
        Whether a host accepts a connection; for tests.
    """
    if any(value and name.startswith("AWS_ENDPOINT_URL") for name, value in environment.items()):
        return False
    if any(environment.get(name) for name in _PROXIES):
        return False
    if not _has_credentials(environment):
        return False
    where = endpoint_region(region)
    suffix = "amazonaws.com.cn" if where.startswith("cn-") else "amazonaws.com"
    return (attempt or connects)(f"api.pricing.{where}.{suffix}")


def _has_credentials(environment: Mapping[str, str]) -> bool:
    if any(environment.get(name) for name in _CREDENTIALS):
        return True
    home = environment.get("HOME")
    named = (environment.get("AWS_SHARED_CREDENTIALS_FILE"), environment.get("AWS_CONFIG_FILE"))
    default = (f"{home}/.aws/credentials", f"{home}/.aws/config") if home else (None, None)
    for own, usual in zip(named, default, strict=True):
        path = own or usual
        if path is not None and Path(path).is_file():
            return True
    return False


def connects(host: str) -> bool:
    """Whether a host accepts a connection within a second, its name's resolution included."""
    found: list[bool] = []

    def connect() -> None:
        try:
            socket.create_connection((host, _HTTPS_PORT), timeout=CONNECT_SECONDS).close()
        except Exception:  # noqa: BLE001
            # Whatever prevents a connection, the answer is no.
            return
        found.append(True)

    # `timeout` does not limit the resolution of the name; the thread is left behind.
    thread = threading.Thread(target=connect, daemon=True)
    thread.start()
    thread.join(CONNECT_SECONDS)
    return bool(found)
