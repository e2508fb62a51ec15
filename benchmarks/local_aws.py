"""A local AWS process for one measurement at a time."""

from __future__ import annotations

import subprocess
import time
from pathlib import Path

from benchmarks.compare import ROOT, Timed, base_environment, command

_REGION = "us-east-1"


class LocalAws:
    """A new, bootstrapped account for every measured deployment."""

    def __init__(self, account: str = "111122223333") -> None:
        self._account = account

    def deployment(self, *words: str, before: tuple[str, ...] | None = None) -> Timed:
        """The seconds of one CDK command, in an account without deployments.

        `before` is a command that is run first and is not timed.
        """

        def once() -> float:
            server = Server()
            try:
                environment = {
                    "AWS_ENDPOINT_URL": server.url,
                    "AWS_ACCESS_KEY_ID": self._account,
                    "AWS_SECRET_ACCESS_KEY": "local",
                    "AWS_DEFAULT_REGION": _REGION,
                    "AWS_EC2_METADATA_DISABLED": "true",
                    "CDK_VALIDATION": "false",
                }
                bootstrap = ("cdk", "bootstrap", f"aws://{self._account}/{_REGION}", "--app", "")
                command(*bootstrap, environment=environment)()
                if before is not None:
                    command(*before, environment=environment)()
                return command(*words, environment=environment)()
            finally:
                server.end()

        return once


def start_to_ready(*words: str) -> Timed:
    """The seconds from the start of a server to its `ready` line."""

    def once() -> float:
        started = time.perf_counter()
        server = Server(*words)
        seconds = time.perf_counter() - started
        server.end()
        return seconds

    return once


class Server:
    """A local AWS in a separate process."""

    def __init__(self, *words: str) -> None:
        command_line = words or ("clusterwright", "localaws", "--port", "0")
        self._process = subprocess.Popen(
            command_line,
            cwd=ROOT,
            env=base_environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line.startswith("ready "):
            self.end()
            raise RuntimeError(f"`{' '.join(command_line)}` did not become ready")
        self.url = line.removeprefix("ready ").strip()

    @property
    def resident_mib(self) -> float:
        """Its resident memory in MiB; RuntimeError on a machine without /proc."""
        status = Path(f"/proc/{self._process.pid}/status")
        if not status.exists():
            raise RuntimeError("memory is read from /proc, which this machine does not have")
        line = next(x for x in status.read_text().splitlines() if x.startswith("VmRSS"))
        return int(line.split()[1]) / 1024

    def end(self) -> None:
        self._process.terminate()
        try:
            self._process.wait(20)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        if self._process.stdout is not None:
            self._process.stdout.close()
