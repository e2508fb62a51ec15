"""Runs third-party programs with a served local AWS."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import boto3

ACCOUNT, REGION = "111122223333", "us-east-1"
# A capacity block of 4 × p5.48xlarge in use1-az6 that is active, in the world of most tests.
BLOCK = "cr-0123456789abcdef0"
# Allowance for a busy machine; alone, each program takes a second or two.
LIMIT_S = 300


@dataclass(frozen=True)
class Done:
    """Output of a program."""

    code: int
    out: str
    err: str

    @property
    def data(self) -> Any:
        return json.loads(self.out)

    @property
    def said(self) -> str:
        """Both streams: the CDK CLI writes messages to stderr, and to stdout if `CI` is set."""
        return self.out + self.err


@dataclass(frozen=True)
class Server:
    """A served local AWS, and the configuration of programs for it."""

    address: str
    home: Path

    @property
    def s3_address(self) -> str:
        """S3's endpoint for clients with virtual-hosted addressing, which needs an IP address."""
        return self.address.replace("localhost", "127.0.0.1")

    def environment(self, **more: str) -> dict[str, str]:
        """The exported variables of a user, and the home folder of the test."""
        found = {
            **os.environ,
            "AWS_ENDPOINT_URL": self.address,
            "AWS_ACCESS_KEY_ID": ACCOUNT,
            "AWS_SECRET_ACCESS_KEY": "local",
            "AWS_REGION": REGION,
            "AWS_DEFAULT_REGION": REGION,
            "HOME": str(self.home),
            **more,
        }
        # The environments of the clients are new: the first start compiles their modules.
        found.pop("PYTHONDONTWRITEBYTECODE", None)
        return found

    def run(
        self, *words: str | Path, code: int = 0, cwd: Path | None = None, **environment: str
    ) -> Done:
        """Run a program and assert its exit code `code`."""
        done = subprocess.run(
            words,
            cwd=cwd or self.home,
            env=self.environment(**environment),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=LIMIT_S,
            check=False,
        )
        assert done.returncode == code, f"{words}: {done.returncode}\n{done.stdout}{done.stderr}"
        return Done(done.returncode, done.stdout, done.stderr)

    def client(self, service: str, **more: Any) -> Any:
        """A boto3 client, in addition to the program under test."""
        return boto3.client(
            service,
            REGION,
            endpoint_url=self.address,
            aws_access_key_id=ACCOUNT,
            aws_secret_access_key="local",
            **more,
        )


@contextmanager
def served(home: Path, *options: str) -> Iterator[Server]:
    """`clusterwright localaws` on a free port, inside the block."""
    home.mkdir(parents=True, exist_ok=True)
    with (home / "server.err").open("w") as errors:
        process = subprocess.Popen(
            [sys.executable, "-m", "clusterwright", "localaws", "--port", "0", *options],
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
        )
    assert process.stdout is not None
    try:
        ready, _, address = process.stdout.readline().strip().partition(" ")
        assert ready == "ready", (home / "server.err").read_text()
        yield Server(address, home)
    finally:
        process.terminate()
        code = process.wait(30)
        process.stdout.close()
    assert code == 0, (home / "server.err").read_text()


def file(folder: Path, name: str, content: str | Sequence[Any] | dict[str, Any]) -> Path:
    """Write a text, or a value as JSON."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content if isinstance(content, str) else json.dumps(content, indent=2))
    return path
