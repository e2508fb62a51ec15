"""Client of the worker process: start it, send requests to its control socket, end it."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from clusterwright_rehearsal.errors import RehearsalError
from clusterwright_rehearsal.registry import Registry
from clusterwright_rehearsal.runs import Run, remove_run

_END_SECONDS = 60.0


class WorkerClient:
    """A running worker process. `close` ends it and removes what it has created."""

    def __init__(
        self,
        run: Run,
        image: Path | None,
        *,
        world: str,
        account: str,
        lifecycle: Path | None = None,
        newer: Mapping[str, Path] | None = None,
    ) -> None:
        """Start the worker. Without `image` there are no machines, only the local AWS.

        `newer` are images by the version of Slurm to which clusters can be updated.
        """
        self.run = run
        log = (run.folder / "worker.log").open("ab")
        self._process = subprocess.Popen(
            [
                *(sys.executable, "-m", "clusterwright_rehearsal.worker"),
                *("--run", run.id, "--folder", str(run.folder)),
                *("--world", world, "--account", account),
                *(("--image", str(image)) if image is not None else ()),
                *(("--lifecycle", str(lifecycle)) if lifecycle is not None else ()),
                *(f"--newer-image={version}={root}" for version, root in (newer or {}).items()),
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
            start_new_session=True,
            env=_environment(),
        )
        log.close()
        Registry(run.folder).add_process(self._process.pid, "worker")
        self._url: str | None = None

    @property
    def url(self) -> str:
        """The URL of the local AWS; waits until it answers.

        Raises
        ------
        RehearsalError
            The worker ended instead; the message contains the end of its log.
        """
        if self._url is None:
            assert self._process.stdout is not None
            line = self._process.stdout.readline().strip()
            if not line.startswith("ready "):
                raise RehearsalError(f"the worker process did not start: {self.log_tail()}")
            self._url = line.removeprefix("ready ")
        return self._url

    def log_tail(self) -> str:
        text = (self.run.folder / "worker.log").read_text(errors="replace").strip()
        return text[-600:] or "its log is empty"

    def ask(self, do: str, **arguments: Any) -> Any:
        """Send one request and return its result.

        Raises
        ------
        RehearsalError
            The worker reports an error, or has ended.
        """
        try:
            with socket.socket(socket.AF_UNIX) as connection:
                connection.connect(str(self.run.control))
                connection.sendall(json.dumps({"do": do, **arguments}).encode() + b"\n")
                answer = json.loads(connection.makefile().readline())
        except (OSError, ValueError) as error:
            raise RehearsalError(f"the worker process does not answer: {error}") from error
        if "error" in answer:
            raise RehearsalError(f"{do}: {answer['error']}")
        return answer["ok"]

    def keep(self) -> None:
        """Keep the worker running after the end of this process."""
        self.run.keep_mark.write_text("")

    def close(self) -> list[str]:
        """End the worker; return the resources that could not be removed."""
        if self._process.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                self._process.send_signal(signal.SIGTERM)
            try:
                self._process.wait(_END_SECONDS)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                with contextlib.suppress(OSError):
                    stream.close()
        return list(remove_run(self.run).left)


def _environment() -> dict[str, str]:
    """The environment without settings that could lead to a real AWS account."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("AWS_", "CDK_"))}
    return kept | {
        "AWS_CONFIG_FILE": os.devnull,
        "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
        "AWS_EC2_METADATA_DISABLED": "true",
    }
