"""Assume the role for jobs, keep its credentials until shortly before they expire, serve them."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from datetime import datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Callable

HOST = "127.0.0.1"
PORT = 579
PATH = "/job-role"
SESSION_SECONDS = 3600
"""STS's maximum where a role assumes another (STS API reference, AssumeRole, role chaining)."""
RENEW_BEFORE_SECONDS = 900.0
"""SDKs renew credentials at most this long before they expire: botocore 15 minutes, the AWS SDK
for Java 5 minutes."""
RETRY_SECONDS = 5.0
_TIMEOUT_SECONDS = 30.0
_REQUEST_SECONDS = 5.0

Assume = Callable[[], "dict[str, str]"]
"""Returns STS's `Credentials`. Raises OSError."""


class Credentials:
    """The current credentials; one request to STS at a time, however many jobs ask."""

    def __init__(self, assume: Assume, clock: Callable[[], float] = time.time) -> None:
        self._assume = assume
        self._clock = clock
        self._lock = threading.Lock()
        self._found: dict[str, str] | None = None
        self._expires = 0.0
        self._failed_at = float("-inf")
        self._error = ""

    def current(self) -> dict[str, str]:
        """STS's `Credentials`; the old ones while they are valid and new ones cannot be had.

        Raises
        ------
        OSError
            STS refuses, and there are none that are still valid.
        """
        with self._lock:
            now = self._clock()
            if self._found is not None and now < self._expires - RENEW_BEFORE_SECONDS:
                return self._found
            if now - self._failed_at >= RETRY_SECONDS:
                try:
                    found = self._assume()
                    self._expires = _seconds(found["Expiration"])
                    self._found = found
                except (OSError, ValueError, KeyError) as error:
                    self._failed_at, self._error = now, str(error)
            if self._found is not None and now < self._expires:
                return self._found
            raise OSError(self._error)


def main(argv: Sequence[str]) -> int:
    options = _parser().parse_args(argv)
    credentials = Credentials(lambda: assume(options))
    server(credentials, options.role_arn, options.port).serve_forever()
    return 0


def assume(options: argparse.Namespace) -> dict[str, str]:
    """New credentials of the role. Raises OSError with the message of the AWS CLI."""
    environment = {
        "PATH": "/usr/local/bin:/usr/bin:/bin",
        "LC_ALL": "C.UTF-8",
        # Version 1 of the CLI would call an endpoint that a closed network does not have.
        "AWS_STS_REGIONAL_ENDPOINTS": "regional",
        **{name: os.environ[name] for name in ("AWS_ENDPOINT_URL",) if name in os.environ},
    }
    command = [
        "aws", "sts", "assume-role", "--role-arn", options.role_arn,
        "--role-session-name", options.session_name, "--region", options.region,
        "--duration-seconds", str(SESSION_SECONDS), "--output", "json",
    ]  # fmt: skip
    try:
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            check=False,
            env=environment,
            timeout=_TIMEOUT_SECONDS,
        )
    except subprocess.TimeoutExpired:
        raise OSError("STS does not answer") from None
    if done.returncode != 0:
        raise OSError(" ".join(done.stderr.split())[-300:] or "aws sts assume-role failed")
    found = json.loads(done.stdout)["Credentials"]
    return {name: str(found[name]) for name in _KEYS}


def server(credentials: Credentials, role_arn: str, port: int = PORT) -> ThreadingHTTPServer:
    """The server, which listens on the loopback interface only."""

    class Handler(_Handler):
        source = credentials
        role = role_arn

    made = ThreadingHTTPServer((HOST, port), Handler)
    made.daemon_threads = True
    return made


_KEYS = ("AccessKeyId", "SecretAccessKey", "SessionToken", "Expiration")


class _Handler(BaseHTTPRequestHandler):
    source: Credentials
    role: str
    timeout = _REQUEST_SECONDS
    """A client that sends nothing does not keep its thread."""
    server_version = "clusterwright"
    sys_version = ""

    def do_GET(self) -> None:
        # A web page in a user's browser on the node has another host name.
        host = (self.headers.get("Host") or "").rpartition(":")[0] or self.headers.get("Host")
        if self.path != PATH or host not in (HOST, "localhost"):
            self._answer(404, {"code": "NotFound", "message": f"see {PATH}"})
            return
        try:
            found = self.source.current()
        except OSError as error:
            self._answer(500, {"code": "AssumeRoleFailed", "message": str(error)})
            return
        self._answer(
            200,
            {
                "AccessKeyId": found["AccessKeyId"],
                "SecretAccessKey": found["SecretAccessKey"],
                "Token": found["SessionToken"],
                "Expiration": found["Expiration"],
                "RoleArn": self.role,
            },
        )

    def _answer(self, status: int, content: dict[str, str]) -> None:
        body = json.dumps(content).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "no-store")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, form: str, *values: object) -> None:
        """Log refusals only: the requests of jobs would fill the journal."""

    def log_error(self, form: str, *values: object) -> None:
        # In one line of ASCII: a client may have written anything into its request.
        print(json.dumps(form % values), file=sys.stderr, flush=True)


def _seconds(stamp: str) -> float:
    """A time of STS in seconds; Python 3.9 does not read a Z."""
    return datetime.fromisoformat(stamp.replace("Z", "+00:00")).timestamp()


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="clusterwright_credentials", allow_abbrev=False)
    parser.add_argument("--role-arn", required=True)
    parser.add_argument("--session-name", required=True)
    parser.add_argument("--region", required=True)
    parser.add_argument("--port", type=int, default=PORT)
    return parser
