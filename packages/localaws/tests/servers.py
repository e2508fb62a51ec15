"""A local AWS on a port, as another process."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import boto3
from botocore.config import Config

from packages.localaws.tests.parts import REGION

READY = re.compile(r"ready (http://localhost:(\d+))")


@contextmanager
def server(*arguments: str, module: str = "clusterwright") -> Iterator[tuple[str, Any]]:
    """Run a server in a separate process; yield its URL and the process."""
    command = [sys.executable, "-m", module]
    command += ["localaws"] if module == "clusterwright" else []
    process = subprocess.Popen(
        [*command, "--port", "0", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    try:
        match = READY.fullmatch(process.stdout.readline().strip())
        assert match, process.stderr.read() if process.stderr else ""
        yield match.group(1), process
    finally:
        process.terminate()
        process.wait(20)
        process.stdout.close()
        assert process.stderr is not None
        process.stderr.close()


def at(address: str, service: str, key: str = "testing", **config: Any) -> Any:
    return boto3.client(
        service,
        REGION,
        endpoint_url=address,
        aws_access_key_id=key,
        aws_secret_access_key="testing",
        config=Config(s3={"addressing_style": "path"}, **config),
    )


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "clusterwright", "localaws", *arguments],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
