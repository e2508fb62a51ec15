"""Installs the local AWS into moto, once per process, for the server and for tests."""

from __future__ import annotations

import re
import threading
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from clusterwright_localaws.core.runtime import runtime
from clusterwright_localaws.server import repeated_work, syntax_trees
from clusterwright_localaws.server.instances import hold_weakly
from clusterwright_localaws.services.ec2.fixes import offerings_by_region

if TYPE_CHECKING:
    from botocore.awsrequest import AWSPreparedRequest
    from moto.core.request import Request

    from clusterwright_localaws.server.wire import Answer

_lock = threading.Lock()
_installed = threading.Event()

# Hosts of services that moto lacks: name in moto's style -> its URL.
_OWN_HOSTS = (
    ("pricing", re.compile(r"https?://api\.pricing\.[^/]+\.amazonaws\.com")),
    ("grafana", re.compile(r"https?://grafana\.[^/]+\.amazonaws\.com")),
    # Prometheus's own APIs, which moto does not have.
    ("amp", re.compile(r"https?://aps-workspaces\.[^/]+\.amazonaws\.com")),
    ("pcs", re.compile(r"https?://pcs(-fips)?\.[^/]+\.(amazonaws\.com|api\.aws)")),
)
# Backends that hold nothing but Python objects, and are slow to build.
_PLAIN_STATE = frozenset({"ec2", "iam", "sts"})
_SERVICE = re.compile(r"Credential=[^/]*/\d+/[^/]*/([^/]+)/")
_REGION = re.compile(r"\.([a-z]{2}(?:-[a-z]+)+-\d+)\.")


def install() -> None:
    """Route moto's requests through the gateway; does nothing the second time.

    Plain moto is not changed for callers outside `local_aws()` or the server: requests pass
    through untouched until a local AWS is running.
    """
    with _lock:
        if _installed.is_set():
            return
        repeated_work.apply()
        syntax_trees.apply()
        hold_weakly()
        # Before EC2 is imported, which other services of moto do by themselves.
        offerings_by_region.apply()
        _route_in_process()
        _accounts()
        _reset()
        _installed.set()


def service_of_url(url: str) -> str | None:
    """Return moto's name of the service that answers at `url`, or `None`."""
    from moto import backend_index

    for name, pattern in _OWN_HOSTS:
        if pattern.match(url):
            return name
    for name, pattern in backend_index.backend_url_patterns:
        if pattern.match(url):
            return str(name)
    return None


def region_of_url(url: str) -> str:
    """Return the region in a host name, or the world's."""
    match = _REGION.search(url)
    return match.group(1) if match else runtime().world.region


def _route_in_process() -> None:
    from moto.core.botocore_stubber import BotocoreStubber

    to_moto = BotocoreStubber.process_request

    def process_request(self: Any, request: AWSPreparedRequest) -> Any:
        if not runtime().active:
            return to_moto(self, request)
        from moto.core.request import normalize_request

        from clusterwright_localaws.server.gateway import answer_request

        url = request.url.split("?", 1)[0]
        name = service_of_url(url)
        if name is None:
            return to_moto(self, request) if _not_aws(url) else _unknown_host(request, url)
        if hasattr(request.body, "read"):
            # Read by us and again by moto: a stream would be empty the second time.
            request.body = request.body.read()
        given = normalize_request(request)

        def forward(found: Request) -> Any:
            sent = request if found is given else _prepared(found)
            return _from_moto(to_moto(self, sent))

        return answer_request(given, name, region_of_url(url), forward)

    BotocoreStubber.process_request = process_request  # type: ignore[method-assign]


def _not_aws(url: str) -> bool:
    host = urlsplit(url).hostname or ""
    return not host.endswith((".amazonaws.com", ".amazonaws.com.cn", ".api.aws"))


def _unknown_host(request: AWSPreparedRequest, url: str) -> Answer:
    """Return the server's refusal of a service that moto lacks."""
    from moto.core.request import normalize_request

    from clusterwright_localaws.server import wire

    signed = _SERVICE.search(str(request.headers.get("Authorization", "")))
    host = urlsplit(url).hostname or ""
    name = signed.group(1) if signed else host.split(".", 1)[0]
    return wire.no_service(name, normalize_request(request))


def _prepared(request: Request) -> AWSPreparedRequest:
    """Return a translated request as moto's stub of botocore takes it."""
    from botocore.awsrequest import AWSPreparedRequest, HeadersDict

    headers = HeadersDict(request.headers.items())
    body = request.get_data(cache=True)
    return AWSPreparedRequest(str(request.method), request.raw_url, headers, body, False)


def _from_moto(found: Any) -> Any:
    if found is None:
        return None
    status, headers, body = found
    return int(status), headers, body


def _accounts() -> None:
    """moto knows only 20-character keys and one default account; see `accounts.account_of`."""
    from moto.core.responses import BaseResponse

    from clusterwright_localaws.core.accounts import account_of

    of_moto = BaseResponse.get_current_account

    def get_current_account(self: Any) -> str:
        if not runtime().active:
            return of_moto(self)
        return account_of(self.normalized_request)

    BaseResponse.get_current_account = get_current_account  # type: ignore[method-assign]


def _reset() -> None:
    """Reset our services whenever moto is reset (mock_aws, POST /moto-api/reset)."""
    from moto.core.base_backend import BackendDict

    of_moto = BackendDict.reset.__func__  # type: ignore[attr-defined]

    def reset(cls: Any) -> None:
        if runtime().active:
            # moto rebuilds every backend before it drops it, which takes 0.3 s.
            for backends in list(cls._instances):
                if backends.service_name in _PLAIN_STATE:
                    backends.clear()
        of_moto(cls)
        if runtime().active:
            runtime().forget()

    BackendDict.reset = classmethod(reset)  # type: ignore[assignment]
