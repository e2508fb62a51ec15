"""Signed requests to the Prometheus-compatible APIs of a served local AWS."""

from __future__ import annotations

import http.client
import json
import struct
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

from clusterwright_localaws.server.server import serving
from clusterwright_localaws.services.amp.samples import samples_of
from clusterwright_localaws.worlds.model import World
from packages.localaws.tests.parts import REGION

__all__ = ["World", "query", "samples_of", "send", "serving", "write_request"]


def write_request(*series: tuple[Mapping[str, str], float, int]) -> bytes:
    """A WriteRequest in one literal of Snappy: labels, value and milliseconds of each series."""
    message = b"".join(_field(1, _series(*one)) for one in series)
    size = (len(message) - 1).to_bytes(4, "little")
    return _varint(len(message)) + b"\xfc" + size + message


def send(
    port: int,
    path: str,
    body: bytes = b"",
    *,
    key: str | None = "111122223333",
    secret: str = "testing",
    method: str = "POST",
) -> tuple[int, Any]:
    """Return the status and the body, as JSON where there is one; unsigned without a key."""
    asked = AWSRequest(method, f"http://localhost:{port}{path}", data=body)
    if key is not None:
        SigV4Auth(Credentials(key, secret), "aps", REGION).add_auth(asked)
    connection = http.client.HTTPConnection("localhost", port, timeout=20)
    connection.request(method, path, body, dict(asked.headers))
    answered = connection.getresponse()
    text = answered.read()
    connection.close()
    return answered.status, json.loads(text) if text else None


def query(port: int, workspace: str, text: str, **arguments: str) -> list[dict[str, Any]]:
    """The result of an instant query, which must succeed."""
    words = urlencode({"query": text, **arguments})
    status, found = send(port, f"/workspaces/{workspace}/api/v1/query?{words}", method="GET")
    assert (status, found["status"]) == (200, "success"), found
    return list(found["data"]["result"])


def _series(labels: Mapping[str, str], value: float, time_ms: int) -> bytes:
    named = b"".join(
        _field(1, _field(1, name.encode()) + _field(2, text.encode()))
        for name, text in labels.items()
    )
    sample = b"\x09" + struct.pack("<d", value) + b"\x10" + _varint(time_ms)
    return named + _field(2, sample)


def _field(number: int, value: bytes) -> bytes:
    return _varint(number << 3 | 2) + _varint(len(value)) + value


def _varint(value: int) -> bytes:
    found = bytearray()
    while value >= 0x80:
        found.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*found, value])
