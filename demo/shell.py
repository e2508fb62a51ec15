"""Runs command lines and prints each one with its output and duration."""

from __future__ import annotations

import contextlib
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType

from demo.folding import Folding

ROOT = Path(__file__).resolve().parents[1]
_READY = re.compile(r"^ready (http://\S+)$")
_SECONDS_TO_END = 20.0


class StepFailed(Exception):
    """A command had an unexpected exit code or output."""


class Shell:
    """Runs commands in the checkout.

    As a context manager it ends every process that it has started.
    """

    def __init__(self) -> None:
        self._environment = _environment()
        self._processes: list[subprocess.Popen[str]] = []

    def __enter__(self) -> Shell:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        # A second Ctrl-C while ending things must not leave them running.
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, signal.SIG_IGN)
        for process in reversed(self._processes):
            end(process)

    def section(self, title: str) -> None:
        """Print a heading."""
        print(f"\n== {title} ==", flush=True)

    def say(self, text: str) -> None:
        """Print a remark."""
        print(f"# {text}", flush=True)

    def export(self, **variables: str) -> None:
        """Set variables for all later commands."""
        for name, value in variables.items():
            print(f"$ export {name}={shlex.quote(value)}", flush=True)
        self._environment |= variables

    def run(
        self,
        command: str,
        *,
        exit_code: int | tuple[int, ...] = 0,
        contains: Sequence[str] = (),
        environment: dict[str, str] | None = None,
    ) -> str:
        """Run one command line and show it with its output.

        Raises StepFailed unless it exits with `exit_code`, or with one of them, and prints every
        text of `contains`.
        """
        own = environment or {}
        shown = " ".join(
            [*(f"{name}={shlex.quote(value)}" for name, value in own.items()), command]
        )
        print(f"\n$ {shown}", flush=True)
        started = time.monotonic()
        process = self._start(shlex.split(command), own, stderr=subprocess.STDOUT)
        assert process.stdout is not None
        lines = []
        folding = Folding()
        for line in process.stdout:
            lines.append(line)
            sys.stdout.write(folding.shown(line))
            sys.stdout.flush()
        code = process.wait()
        self._processes.remove(process)
        seconds = f"{time.monotonic() - started:.1f} s"
        folded = f", {folding.left_out} lines of progress not shown" if folding.left_out else ""
        expected = exit_code if isinstance(exit_code, tuple) else (exit_code,)
        remark = ", as expected" if code and code in expected else ""
        print(f"# exit code {code}{remark}, {seconds}{folded}", flush=True)
        output = "".join(lines)
        if code not in expected:
            wanted = " or ".join(str(number) for number in expected)
            raise StepFailed(f"`{command}` exited with {code}, not with {wanted}")
        for text in contains:
            if text not in output:
                raise StepFailed(f"`{command}` did not print {text!r}")
        return output

    def serve(self, command: str) -> Server:
        """Start a server, wait for its line `ready URL`, and leave it running."""
        print(f"\n$ {command} &", flush=True)
        process = self._start(shlex.split(command), {}, stderr=None)
        assert process.stdout is not None
        line = process.stdout.readline().rstrip("\n")
        print(line, flush=True)
        ready = _READY.match(line)
        if ready is None:
            raise StepFailed(f"`{command}` did not become ready")
        return Server(ready.group(1), process)

    def stop(self, server: Server) -> None:
        """End a server by its process id; it must exit with 0."""
        print(f"\n$ kill {server.process.pid}", flush=True)
        code = end(server.process)
        self._processes.remove(server.process)
        print(f"# exit code {code}", flush=True)
        if code != 0:
            raise StepFailed(f"the server at {server.url} exited with {code} when it was ended")

    def _start(
        self, words: Sequence[str], environment: dict[str, str], *, stderr: int | None
    ) -> subprocess.Popen[str]:
        # In a new session, so that Ctrl-C reaches only this program, which then ends its children
        # and their children in order.
        process = subprocess.Popen(
            words,
            cwd=ROOT,
            env=self._environment | environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=stderr,
            text=True,
            errors="replace",
            start_new_session=True,
        )
        self._processes.append(process)
        return process


class Server:
    """A running server: its URL and its process."""

    def __init__(self, url: str, process: subprocess.Popen[str]) -> None:
        self.url = url
        self.process = process


def end(process: subprocess.Popen[str]) -> int:
    """Terminate a process, then kill the rest of its group; return its exit code."""
    if process.poll() is None:
        process.terminate()
        try:
            process.wait(_SECONDS_TO_END)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
    with contextlib.suppress(ProcessLookupError):  # the group has ended
        os.killpg(process.pid, signal.SIGKILL)
    if process.stdout is not None:
        process.stdout.close()
    return process.returncode


def _environment() -> dict[str, str]:
    """The environment without settings that could lead to a real AWS account."""
    environment = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("AWS_", "CDK_", "CLUSTERWRIGHT_"))
    }
    environment |= {
        "AWS_CONFIG_FILE": os.devnull,
        "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
        "AWS_EC2_METADATA_DISABLED": "true",
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', os.defpath)}",
    }
    return environment
