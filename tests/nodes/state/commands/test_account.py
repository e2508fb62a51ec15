"""The account of the answers of a node."""

from __future__ import annotations

import http.server
import threading
from collections.abc import Iterator

import pytest
from clusterwright_state.commands import account

from tests.nodes.state.commands.conftest import Commands


def test_the_file_names_the_account(commands: Commands) -> None:
    for command in ("status", "accept --dry-run", "drift", "topology"):
        assert commands.answer(*command.split())["account"] == "111122223333", command


@pytest.mark.parametrize(
    ("document", "found"),
    [
        ('{"accountId": "444455556666"}', "444455556666"),
        ('{"accountId": 7}', "unknown"),
        ("{}", "unknown"),
        ("[]", "unknown"),
        ("<html>", "unknown"),
        (None, "unknown"),
    ],
)
def test_else_the_identity_document_does(
    commands: Commands, document: str | None, found: str
) -> None:
    commands.setting(account=None)
    commands.document = document
    assert commands.answer("status")["account"] == found


class _Service(http.server.BaseHTTPRequestHandler):
    def do_PUT(self) -> None:
        self._answer(200, b"token")

    def do_GET(self) -> None:
        known = self.headers["X-aws-ec2-metadata-token"] == "token"
        known &= self.path == "/latest/dynamic/instance-identity/document"
        self._answer(200 if known else 404, b"document")

    def _answer(self, status: int, text: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def service(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Service)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    monkeypatch.setattr(account, "METADATA", f"http://127.0.0.1:{server.server_port}")
    yield
    server.shutdown()
    server.server_close()


@pytest.mark.enable_socket
@pytest.mark.usefixtures("service")
def test_the_document_is_read_with_a_token(monkeypatch: pytest.MonkeyPatch) -> None:
    assert account.read_document() == "document"
    monkeypatch.setattr(account, "_DOCUMENT", "/latest/other")
    with pytest.raises(OSError, match="404"):
        account.read_document()
