"""A receiver of Alertmanager's notifications on a loopback address.

Source: Prometheus, "Configuration" of alerting, webhook_config (the JSON of a notification; read
2026-11-27).
"""

from __future__ import annotations

import json
import socket
import socketserver
import threading
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass(frozen=True)
class Notified:
    """One alert of a notification: `receiver` is the path that it was sent to."""

    receiver: str
    name: str
    status: str
    severity: str


class _Server(ThreadingHTTPServer):
    """A server on a socket that listens already, in another network namespace."""

    def __init__(self, listening: socket.socket, handler: type[BaseHTTPRequestHandler]) -> None:
        socketserver.BaseServer.__init__(self, listening.getsockname(), handler)
        self.socket = listening


class Receiver:
    """Keeps what arrives until `close`."""

    def __init__(self, listening: socket.socket) -> None:
        self._lock = threading.Lock()
        self._notified: set[Notified] = set()
        keep = self._keep

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                length = int(self.headers.get("Content-Length", "0"))
                keep(self.path.strip("/"), json.loads(self.rfile.read(length)))
                self.send_response(200)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_: Any) -> None:
                """Nothing is logged."""

        self._server = _Server(listening, Handler)
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def notified(self) -> set[Notified]:
        """What has arrived so far."""
        with self._lock:
            return set(self._notified)

    def close(self) -> None:
        """Stop listening."""
        self._server.shutdown()
        self._server.server_close()

    def _keep(self, receiver: str, notification: dict[str, Any]) -> None:
        with self._lock:
            for alert in notification["alerts"]:
                labels = alert["labels"]
                self._notified.add(
                    Notified(receiver, labels["alertname"], alert["status"], labels["severity"])
                )
