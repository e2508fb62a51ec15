"""Refuses requests that a web page of another origin sends through the user's browser.

The server listens on the loopback interface, which every page in a browser on the machine can
reach. A browser states the page's origin in `Origin` and `Sec-Fetch-Site`; a page that has rebound
its own host name to 127.0.0.1 is recognised by `Host`. AWS SDKs send neither of the first two.
"""

from __future__ import annotations

import ipaddress
import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from clusterwright_localaws.server.wire import Answer

# Names that only the machine, its containers or AWS can resolve to this server. Nobody can own a
# name in `.internal`: ICANN reserved it for private use (resolution 2024.07.29.06).
_NAMES: Final = (
    "localhost",
    "amazonaws.com",
    "amazonaws.com.cn",
    "api.aws",
    "docker.internal",
    "containers.internal",
)
# moto's own API (https://docs.getmoto.org/en/latest/docs/server_mode.html). The recorder, which
# writes files and sends requests, the configuration and the pass-through are not served.
_MOTO_API: Final = "/moto-api"
_MOTO_PATHS: Final = frozenset(
    {"/moto-api/", "/moto-api/lib.js", "/moto-api/data.json", "/moto-api/reset", "/moto-api/seed"}
)
_MOTO_FOLDERS: Final = ("/moto-api/static/", "/moto-api/state-manager/")


def refusal(environ: Mapping[str, Any]) -> Answer | None:
    """Return the refusal of a request of a web page, or of a part of moto's API; None if neither.

    Parameters
    ----------
    environ:
        The request's WSGI environment.
    """
    host = str(environ.get("HTTP_HOST", ""))
    if host and not _is_ours(host):
        return _refused(
            f"the local AWS does not answer requests to the host {host!r}: use localhost"
        )
    origin = environ.get("HTTP_ORIGIN")
    if origin is not None and origin != f"http://{host}":
        return _refused(f"the local AWS does not answer web pages (Origin: {origin})")
    site = environ.get("HTTP_SEC_FETCH_SITE")
    if site not in (None, "none", "same-origin"):
        return _refused(f"the local AWS does not answer web pages (Sec-Fetch-Site: {site})")
    path = str(environ.get("PATH_INFO", ""))
    if path.startswith(_MOTO_API) and not _is_served(path):
        return _refused(
            f"the local AWS does not serve {path}: to record calls, start it with --record FILE"
            if path.startswith("/moto-api/recorder/")
            else f"the local AWS does not serve {path}",
            404,
        )
    return None


def _is_ours(host: str) -> bool:
    name = _without_port(host).lower().rstrip(".")
    if any(name == known or name.endswith(f".{known}") for known in _NAMES):
        return True
    try:
        ipaddress.ip_address(name.removeprefix("[").removesuffix("]"))
    except ValueError:
        return False
    return True


def _without_port(host: str) -> str:
    name, colon, port = host.rpartition(":")
    return name if colon and (port.isdigit() or not port) else host


def _is_served(path: str) -> bool:
    return path in _MOTO_PATHS or (
        path.startswith(_MOTO_FOLDERS) and "//" not in path and "/." not in path
    )


def _refused(message: str, status: int = 403) -> Answer:
    body = json.dumps({"__type": "AccessDeniedException", "message": message})
    return status, {"Content-Type": "application/json"}, body
