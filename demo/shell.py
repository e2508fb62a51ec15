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

from demo.folding import Excerpt, Folding

ROOT = Path(__file__).resolve().parents[1]
_READY = re.compile(r"^ready (http://\S+)$")
_SECONDS_TO_END = 20.0


class StepFailed(Exception):
    """A command had an unexpected exit code or output."""


class Shell:
    """Runs commands in the checkout, and prints the first and last lines of their output.

    `log` is a file for the complete output. As a context manager it ends every process that it has
    started.
    """

    def __init__(self, log: Path | None = None) -> None:
        self.commands = 0
        """Number of commands that had the expected result."""
        self._environment = _environment()
        self._log = None if log is None else log.open("w", encoding="utf-8", buffering=1)
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
        if self._log is not None:
            self._log.close()

    def section(self, title: str) -> None:
        """Print a heading."""
        self._print(f"\n== {title} ==")

    def say(self, text: str) -> None:
        """Print a remark."""
        self._print(f"# {text}")

    def export(self, **variables: str) -> None:
        """Set variables for all later commands."""
        for name, value in variables.items():
            self._print(f"$ export {name}={shlex.quote(value)}")
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
        self._print(f"\n$ {shown}")
        started = time.monotonic()
        process = self._start(shlex.split(command), own, stderr=subprocess.STDOUT)
        assert process.stdout is not None
        lines = []
        folding, excerpt = Folding(), Excerpt(contains)
        for line in process.stdout:
            lines.append(line)
            self._write(line, excerpt.shown(folding.shown(line)))
        self._write("", excerpt.rest())
        code = process.wait()
        self._processes.remove(process)
        seconds = f"{time.monotonic() - started:.1f} s"
        folded = f", {folding.left_out} lines of progress not shown" if folding.left_out else ""
        folded += f", {excerpt.left_out} more lines in the log" if excerpt.left_out else ""
        expected = exit_code if isinstance(exit_code, tuple) else (exit_code,)
        remark = ", as expected" if code and code in expected else ""
        self._print(f"# exit code {code}{remark}, {seconds}{folded}")
        output = "".join(lines)
        if code not in expected:
            wanted = " or ".join(str(number) for number in expected)
            raise StepFailed(f"`{command}` exited with {code}, not with {wanted}")
        for text in contains:
            if text not in output:
                raise StepFailed(f"`{command}` did not print {text!r}")
        self.commands += 1
        return output

    def serve(self, command: str) -> Server:
        """Start a server, wait for its line `ready URL`, and leave it running."""
        self._print(f"\n$ {command} &")
        process = self._start(shlex.split(command), {}, stderr=None)
        assert process.stdout is not None
        line = process.stdout.readline().rstrip("\n")
        self._print(line)
        ready = _READY.match(line)
        if ready is None:
            raise StepFailed(f"`{command}` did not become ready")
        return Server(ready.group(1), process)

    def stop(self, server: Server) -> None:
        """End a server by its process id; it must exit with 0."""
        self._print(f"\n$ kill {server.process.pid}")
        code = end(server.process)
        self._processes.remove(server.process)
        self._print(f"# exit code {code}")
        if code != 0:
            raise StepFailed(f"the server at {server.url} exited with {code} when it was ended")

    def _print(self, text: str) -> None:
        self._write(f"{text}\n", f"{text}\n")

    def _write(self, logged: str, shown: str) -> None:
        if self._log is not None:
            self._log.write(logged)
        sys.stdout.write(shown)
        sys.stdout.flush()

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
        # The CDK's own validation can be disabled as in any other synthesis.
        if name == "CDK_VALIDATION" or not name.startswith(("AWS_", "CDK_", "CLUSTERWRIGHT_"))
    }
    environment |= {
        "AWS_CONFIG_FILE": os.devnull,
        "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
        "AWS_EC2_METADATA_DISABLED": "true",
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', os.defpath)}",
    }
    return environment
