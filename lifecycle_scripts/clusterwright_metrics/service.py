"""The server: `GET /metrics`, and nothing else."""

from __future__ import annotations

import argparse
import socket
import time
from collections.abc import Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from clusterwright_common.probe import Probe

from clusterwright_metrics.scrape import BUDGET_SECONDS, Scraper
from clusterwright_metrics.text import CONTENT_TYPE

_WAIT_SECONDS = 60.0
_CLIENT_SECONDS = 10.0
_MOST_CLIENTS = 16


class Server(ThreadingHTTPServer):
    """Answers scrapes at one address."""

    daemon_threads = True
    allow_reuse_address = True
    request_queue_size = _MOST_CLIENTS

    def __init__(self, address: tuple[str, int], scraper: Scraper) -> None:
        self.scraper = scraper
        super().__init__(address, _Scrape)

    def server_bind(self) -> None:
        # HTTPServer resolves its own name, for which a closed network may have no DNS server.
        socket_address = self.server_address
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.socket.bind(socket_address)
        self.server_address = self.socket.getsockname()
        self.server_name, self.server_port = self.server_address[0], self.server_address[1]


class _Scrape(BaseHTTPRequestHandler):
    server: Server
    timeout = _CLIENT_SECONDS
    server_version = "clusterwright_metrics"
    sys_version = ""

    def do_GET(self) -> None:
        if self.path.split("?")[0] != "/metrics":
            self._answer(404, "text/plain; charset=utf-8", "see /metrics\n")
            return
        self._answer(200, CONTENT_TYPE, self.server.scraper.text())

    def log_message(self, *_: object) -> None:
        """Do not log scrapes."""

    def _answer(self, code: int, kind: str, text: str) -> None:
        body = text.encode()
        try:
            self.send_response(code)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)
        except OSError:  # the client disconnected
            self.close_connection = True


def main(argv: Sequence[str]) -> int:
    options = _parser().parse_args(argv)
    host, _, port = options.listen.rpartition(":")
    # systemd writes printed lines to its journal.
    scraper = Scraper(
        options.role,
        make_probe=lambda: Probe(options.root, deadline_seconds=BUDGET_SECONDS * 0.9),
        tell=lambda text: print(text, flush=True),
    )
    server = _bound((host, int(port)), scraper)
    print(f"serving /metrics at {options.listen}", flush=True)
    server.serve_forever()
    return 0


def _bound(address: tuple[str, int], scraper: Scraper) -> Server:
    """The server, when the node has its address: at boot the address may come later."""
    ends = time.monotonic() + _WAIT_SECONDS
    while True:
        try:
            return Server(address, scraper)
        except OSError as error:
            if time.monotonic() > ends:
                raise SystemExit(f"cannot listen at {address[0]}:{address[1]}: {error}") from None
            time.sleep(1.0)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="clusterwright_metrics", allow_abbrev=False)
    parser.add_argument("--role", required=True, choices=("controller", "login", "compute"))
    parser.add_argument(
        "--root", default="/", help="the folder of the node's files, in a container"
    )
    parser.add_argument("--listen", required=True, metavar="ADDRESS:PORT")
    return parser
