"""Requests to the API server, with the token of the service account."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest
from clusterwright_acceptance.kubernetes_api import KubernetesError, PodApi

pytestmark = pytest.mark.enable_socket


class Handler(BaseHTTPRequestHandler):
    seen: list[tuple[str, str, str | None, str | None, Any]]

    def _answer(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
        self.seen.append(
            (
                self.command,
                self.path,
                self.headers.get("Authorization"),
                self.headers.get("Content-Type"),
                json.loads(body) if body else None,
            )
        )
        code = 404 if "missing" in self.path else 200
        text = json.dumps({"message": "it is not there"} if code == 404 else {"items": []})
        self.send_response(code)
        self.end_headers()
        self.wfile.write(("log" if "/log" in self.path else text).encode())

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = _answer  # noqa: N815

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def api(tmp_path: Path) -> Iterator[PodApi]:
    (tmp_path / "token").write_text("secret\n")
    Handler.seen = []
    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield PodApi(f"http://127.0.0.1:{server.server_port}", str(tmp_path))
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def test_requests_have_the_token_and_the_form(api: PodApi) -> None:
    assert api.get("/a") == {"items": []}
    assert api.text("/log") == "log"
    api.create("/b", {"x": 1})
    api.replace("/b", {"x": 2})
    api.patch("/c", {"x": 3})
    api.delete("/d")
    assert {row[2] for row in Handler.seen} == {"Bearer secret"}
    assert [(row[0], row[1], row[4]) for row in Handler.seen] == [
        ("GET", "/a", None),
        ("GET", "/log", None),
        ("POST", "/b", {"x": 1}),
        ("PUT", "/b", {"x": 2}),
        ("PATCH", "/c", {"x": 3}),
        ("DELETE", "/d", None),
    ]
    assert Handler.seen[4][3] == "application/merge-patch+json"


def test_refusals_have_the_reason(api: PodApi) -> None:
    with pytest.raises(KubernetesError, match="GET /missing: it is not there") as refused:
        api.get("/missing")
    assert refused.value.code == 404
    with pytest.raises(KubernetesError, match="not JSON"):
        api.get("/log")


def test_no_token_and_no_server_are_errors(tmp_path: Path) -> None:
    with pytest.raises(KubernetesError, match="token") as refused:
        PodApi("http://127.0.0.1:9", str(tmp_path)).get("/a")
    assert refused.value.code == 0
