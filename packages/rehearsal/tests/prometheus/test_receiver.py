"""The receiver of notifications."""

from __future__ import annotations

import json
import socket
from pathlib import Path

from clusterwright_rehearsal.prometheus.receiver import Notified, Receiver


def _post(address: str, path: str, content: dict[str, object]) -> bytes:
    body = json.dumps(content).encode()
    head = f"POST {path} HTTP/1.1\r\nHost: x\r\nContent-Length: {len(body)}\r\n\r\n"
    with socket.socket(socket.AF_UNIX) as client:
        client.connect(address)
        client.sendall(head.encode() + body)
        return client.recv(64)


def test_it_keeps_each_alert_once(tmp_path: Path) -> None:
    address = str(tmp_path / "s")
    listening = socket.socket(socket.AF_UNIX)
    listening.bind(address)
    listening.listen(4)
    receiver = Receiver(listening)
    try:
        alert = {"status": "firing", "labels": {"alertname": "A", "severity": "critical"}}
        for _ in range(2):
            assert b" 200 " in _post(address, "/critical", {"alerts": [alert]})
        assert receiver.notified() == {Notified("critical", "A", "firing", "critical")}
    finally:
        receiver.close()
