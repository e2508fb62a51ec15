"""Requests to the HTTP endpoints of subscribers, on this machine only.

https://docs.aws.amazon.com/sns/latest/dg/sns-http-https-endpoint-as-subscriber.html. Headers as
recorded on AWS: docs/reference/probes.md, source `localstack`. Requests are sent by other threads,
since an endpoint may call SNS itself. User and password of an endpoint are sent when it answers
with status 401 and asks for Basic authentication; Digest authentication is not implemented.
"""

from __future__ import annotations

import base64
import http.client
import ipaddress
import json
import socket
from collections.abc import Callable, Mapping
from http import HTTPStatus
from typing import Any, Final
from urllib.parse import SplitResult, unquote, urlsplit

from clusterwright_localaws.core.runtime import runtime
from clusterwright_localaws.core.urls import without_passwords
from clusterwright_localaws.services.sns.endpoint_queues import EndpointQueues

_TIMEOUT_S: Final = 5
_MOST_WAITING: Final = 1000
_CONTENT_TYPE: Final = "text/plain; charset=UTF-8"

_queues = EndpointQueues(_MOST_WAITING)


def is_endpoint(text: str, protocol: str) -> bool:
    """Return whether a text is a URL of the protocol `http` or `https`."""
    try:
        url = urlsplit(text)
        return text.startswith(f"{protocol}://") and bool(url.hostname) and url.port != 0
    except ValueError:
        return False


def send(
    subscription: Any,
    headers: Mapping[str, str],
    body: str,
    failed: Callable[[str], None] | None = None,
) -> None:
    """Send a request to the endpoint of moto's subscription, in another thread.

    Parameters
    ----------
    headers
        The headers of the message; those of every request are added.
    failed
        Is called, under the lock, with the reason if the endpoint does not answer with a status
        below 300.
    """
    url = urlsplit(subscription.endpoint)
    current = runtime()
    if not is_local(url):
        shown = without_passwords(subscription.endpoint)
        current.warn(f"SNS: nothing is sent to {shown}: it is no address of this machine")
        return
    sent = {
        **headers,
        "Content-Type": _content_type(subscription),
        "User-Agent": "Amazon Simple Notification Service Agent",
        "Accept-Encoding": "gzip,deflate",
    }

    def work() -> None:
        if not current.active:
            return  # it has ended
        try:
            _post(url, sent, body.encode())
        except Exception as error:  # noqa: BLE001  the thread sends other requests too
            with current.lock:
                if current.active:
                    report(f"{type(error).__name__}: {error}")

    def report(reason: str) -> None:
        if failed is not None:
            failed(reason)
        else:
            shown = without_passwords(subscription.endpoint)
            current.warn(f"SNS: nothing was sent to {shown}: {reason}")

    if not _queues.submit(subscription.endpoint, work):
        report(f"{_MOST_WAITING} requests are waiting")


def is_local(url: SplitResult) -> bool:
    """Return whether a URL names the loopback interface."""
    host = url.hostname or ""
    if _is_local_name(host):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _is_local_name(host: str) -> bool:
    return host == "localhost" or host.endswith(".localhost")


def _post(url: SplitResult, headers: Mapping[str, str], body: bytes) -> None:
    status, asked = _answer(url, headers, body)
    if status == HTTPStatus.UNAUTHORIZED and url.username is not None and "basic" in asked.lower():
        user = f"{unquote(url.username)}:{unquote(url.password or '')}"
        basic = base64.b64encode(user.encode()).decode()
        status, _ = _answer(url, {**headers, "Authorization": f"Basic {basic}"}, body)
    if status >= 300:
        raise ValueError(f"status {status}")


def _answer(url: SplitResult, headers: Mapping[str, str], body: bytes) -> tuple[int, str]:
    """Return the status of an answer, and the authentication that it asks for."""
    kind = http.client.HTTPSConnection if url.scheme == "https" else http.client.HTTPConnection
    host = str(url.hostname)
    connection = kind(host, url.port, timeout=_TIMEOUT_S)
    if _is_local_name(host):
        connection._create_connection = _connect_to_loopback  # type: ignore[attr-defined]
    try:
        target = (url.path or "/") + (f"?{url.query}" if url.query else "")
        connection.request("POST", target, body, dict(headers))
        answer = connection.getresponse()
        return answer.status, answer.getheader("WWW-Authenticate", "")
    finally:
        connection.close()


def _connect_to_loopback(address: tuple[str, int], *rest: Any) -> socket.socket:
    """Connect to a port of this machine, whatever its resolver says of the name."""
    try:
        return socket.create_connection(("127.0.0.1", address[1]), *rest)
    except OSError as error:
        try:
            return socket.create_connection(("::1", address[1]), *rest)
        except OSError:
            raise error from None


def _content_type(subscription: Any) -> str:
    """Return the content type of the delivery policy of the subscription, or of its topic."""
    own = json.loads(subscription.attributes.get("DeliveryPolicy") or "{}")
    topic = json.loads(subscription.topic.delivery_policy or "{}").get("http") or {}
    for policy in (own.get("requestPolicy"), topic.get("defaultRequestPolicy")):
        found = (policy or {}).get("headerContentType")
        if found:
            return str(found)
    return _CONTENT_TYPE
