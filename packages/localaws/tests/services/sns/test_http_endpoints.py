"""Tests of services.sns.http_endpoints."""

from __future__ import annotations

import io
import socket
from typing import Any
from urllib.parse import urlsplit

import pytest

from clusterwright_localaws.services.sns import http_endpoints

GOOD = "200 OK\r\n"
BASIC = '401 Unauthorized\r\nWWW-Authenticate: Basic realm="r"\r\n'
DIGEST = '401 Unauthorized\r\nWWW-Authenticate: Digest realm="r"\r\n'


class Connections:
    """Connections whose other ends give the answers of a list; no socket is opened."""

    def __init__(self, answers: list[str], refusing: tuple[str, ...] = ()) -> None:
        self.answers = answers
        self.refusing = refusing
        self.hosts: list[str] = []
        self.requests: list[list[str]] = []

    def __call__(self, address: tuple[str, int], *_rest: Any) -> Connections:
        self.hosts.append(address[0])
        if address[0] in self.refusing:
            raise ConnectionRefusedError(address[0])
        return self

    def setsockopt(self, *_option: int) -> None:
        pass

    def sendall(self, data: bytes) -> None:
        if data.startswith(b"POST"):
            self.requests.append(data.decode().split("\r\n"))

    def makefile(self, _mode: str) -> io.BytesIO:
        return io.BytesIO(f"HTTP/1.1 {self.answers.pop(0)}Content-Length: 0\r\n\r\n".encode())

    def close(self) -> None:
        pass


def post(
    monkeypatch: pytest.MonkeyPatch, url: str, *answers: str, refusing: tuple[str, ...] = ()
) -> Connections:
    found = Connections(list(answers), refusing)
    monkeypatch.setattr(socket, "create_connection", found)
    http_endpoints._post(urlsplit(url), {}, b"body")
    return found


@pytest.mark.parametrize(
    ("url", "target"),
    [
        ("http://127.0.0.1:80", "/"),
        ("http://127.0.0.1:80?a=b", "/?a=b"),
        ("http://127.0.0.1:80//x?a=b#c", "//x?a=b"),
    ],
)
def test_request_lines(monkeypatch: pytest.MonkeyPatch, url: str, target: str) -> None:
    ((line, *_),) = post(monkeypatch, url, GOOD).requests
    assert line == f"POST {target} HTTP/1.1"


@pytest.mark.parametrize("host", ["localhost", "evil.localhost"])
def test_names_of_the_loopback_interface_are_not_resolved(
    monkeypatch: pytest.MonkeyPatch, host: str
) -> None:
    found = post(monkeypatch, f"http://{host}:8080/", GOOD)
    assert found.hosts == ["127.0.0.1"]
    assert f"Host: {host}:8080" in found.requests[0]
    found = post(monkeypatch, f"http://{host}:8080/", GOOD, refusing=("127.0.0.1",))
    assert found.hosts == ["127.0.0.1", "::1"]
    with pytest.raises(ConnectionRefusedError, match=r"127\.0\.0\.1"):
        post(monkeypatch, f"http://{host}:8080/", GOOD, refusing=("127.0.0.1", "::1"))


def test_user_and_password_are_sent_where_they_are_asked_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    url = "http://u%40x:p%3A@127.0.0.1/"
    first, second = post(monkeypatch, url, BASIC, GOOD).requests
    assert not any(line.startswith("Authorization") for line in first)
    assert "Authorization: Basic dUB4OnA6" in second
    for answers in ((DIGEST,), (BASIC, BASIC)):
        with pytest.raises(ValueError, match="status 401"):
            post(monkeypatch, url, *answers)
    with pytest.raises(ValueError, match="status 401"):
        post(monkeypatch, "http://127.0.0.1/", BASIC)
