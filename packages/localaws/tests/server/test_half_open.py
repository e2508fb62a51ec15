"""Threads that have just started, on a busy machine, do not keep half-open connections."""

from __future__ import annotations

import http.client
import socket
import time
from collections.abc import Callable, Iterable
from typing import Any

import pytest

from clusterwright_localaws.server import httpd

pytestmark = pytest.mark.enable_socket

THREADS = 4


def _application(_: dict[str, Any], start: Callable[..., Any]) -> Iterable[bytes]:
    start("200 OK", [("Content-Type", "text/plain"), ("Content-Length", "2")])
    return [b"ok"]


def test_threads_that_start_late_are_freed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(httpd, "_MOST_THREADS", THREADS)
    communicate = httpd._Connection.communicate

    def late(connection: Any) -> bool:
        time.sleep(0.3)
        return communicate(connection)

    monkeypatch.setattr(httpd._Connection, "communicate", late)
    bound = socket.create_server(("127.0.0.1", 0))
    port = bound.getsockname()[1]
    server = httpd.Server(bound, _application)
    server.start()
    half_open = []
    try:
        for _ in range(5 * THREADS):
            connection = socket.create_connection(("127.0.0.1", port), timeout=10)
            connection.sendall(b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n{")
            half_open.append(connection)
        client = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
        client.request("GET", "/")
        assert client.getresponse().read() == b"ok"
        client.close()
    finally:
        for connection in half_open:
            connection.close()
        server.stop(1)
