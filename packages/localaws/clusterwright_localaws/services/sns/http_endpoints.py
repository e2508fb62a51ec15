"""Requests to the HTTP endpoints of subscribers, on this machine only.

https://docs.aws.amazon.com/sns/latest/dg/sns-http-https-endpoint-as-subscriber.html. Headers as
recorded on AWS: docs/reference/probes.md, source `localstack`. Requests are sent by other threads,
since an endpoint may call SNS itself.
"""

from __future__ import annotations

import http.client
import ipaddress
import json
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final
from urllib.parse import SplitResult, urlsplit

from clusterwright_localaws.core.runtime import runtime

_TIMEOUT_S: Final = 5
_MOST_WAITING: Final = 1000
_CONTENT_TYPE: Final = "text/plain; charset=UTF-8"

_senders = ThreadPoolExecutor(4, thread_name_prefix="sns")
_free = threading.BoundedSemaphore(_MOST_WAITING)


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
        current.warn(
            f"SNS: nothing is sent to {subscription.endpoint}: it is no address of this machine"
        )
        return
    sent = {
        **headers,
        "Content-Type": _content_type(subscription),
        "User-Agent": "Amazon Simple Notification Service Agent",
        "Accept-Encoding": "gzip,deflate",
    }
    if not _free.acquire(blocking=False):
        if failed is not None:
            failed(f"{_MOST_WAITING} requests are waiting")
        return

    def work() -> None:
        try:
            _post(url, sent, body.encode())
        except (OSError, ValueError, http.client.HTTPException) as error:
            reason = f"{type(error).__name__}: {error}"
            with current.lock:
                if failed is not None:
                    failed(reason)
                else:
                    current.warn(f"SNS: nothing was sent to {subscription.endpoint}: {reason}")
        finally:
            _free.release()

    _senders.submit(work)


def is_local(url: SplitResult) -> bool:
    """Return whether a URL names the loopback interface."""
    host = url.hostname or ""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _post(url: SplitResult, headers: Mapping[str, str], body: bytes) -> None:
    kind = http.client.HTTPSConnection if url.scheme == "https" else http.client.HTTPConnection
    connection = kind(str(url.hostname), url.port, timeout=_TIMEOUT_S)
    try:
        target = url._replace(scheme="", netloc="", fragment="").geturl() or "/"
        connection.request("POST", target, body, dict(headers))
        status = connection.getresponse().status
    finally:
        connection.close()
    if status >= 300:
        raise ValueError(f"status {status}")


def _content_type(subscription: Any) -> str:
    """Return the content type of the delivery policy of the subscription, or of its topic."""
    own = json.loads(subscription.attributes.get("DeliveryPolicy") or "{}")
    topic = json.loads(subscription.topic.delivery_policy or "{}").get("http") or {}
    for policy in (own.get("requestPolicy"), topic.get("defaultRequestPolicy")):
        found = (policy or {}).get("headerContentType")
        if found:
            return str(found)
    return _CONTENT_TYPE
