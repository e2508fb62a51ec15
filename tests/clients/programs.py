"""Running other people's programs against a local AWS that is served."""

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
# A capacity block of 4 × p5.48xlarge in use1-az6 that has begun, in the world of most tests.
BLOCK = "cr-0123456789abcdef0"
# What a machine that is busy with other things may take; alone, each takes a second or two.
LIMIT_S = 300


@dataclass(frozen=True)
class Done:
    """What a program answered."""

    code: int
    out: str
    err: str

    @property
    def data(self) -> Any:
        return json.loads(self.out)

    @property
    def said(self) -> str:
        """Both streams: the CDK CLI tells people on stderr, and on stdout where `CI` is set."""
        return self.out + self.err


@dataclass(frozen=True)
class Server:
    """A served local AWS, and how programs are told about it."""

    address: str
    home: Path

    @property
    def s3_address(self) -> str:
        """S3 for clients that put a bucket before the host: they cannot before an address."""
        return self.address.replace("localhost", "127.0.0.1")

    def environment(self, **more: str) -> dict[str, str]:
        """What a user exports, and a home folder that is the test's."""
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
        # The clients' environments are new: the first start writes the bytecode of the next.
        found.pop("PYTHONDONTWRITEBYTECODE", None)
        return found

    def run(
        self, *words: str | Path, code: int = 0, cwd: Path | None = None, **environment: str
    ) -> Done:
        """Run a program to its end and see that it exits with `code`."""
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
        """boto3, beside the program under test."""
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
    """`clusterwright localaws` on a free port, for as long as the block lasts."""
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
