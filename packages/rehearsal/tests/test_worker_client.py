"""The client of the worker process, with stubs of the process and its socket."""

from __future__ import annotations

import io
import json
import os
import signal
import socket
import subprocess
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import Mock

import pytest

from clusterwright_rehearsal import worker_client as module
from clusterwright_rehearsal.errors import RehearsalError
from clusterwright_rehearsal.runs import Run
from clusterwright_rehearsal.worker_client import WorkerClient, _environment


class Process:
    """A process that says `line` and ends on a signal."""

    def __init__(self, line: str = "ready http://localhost:1\n") -> None:
        self.pid = os.getpid()
        self.stdin, self.stdout = io.StringIO(), io.StringIO(line)
        self.words: list[str] = []
        self.signals: list[int] = []
        self.hangs = False

    def poll(self) -> int | None:
        return 0 if self.signals else None

    def send_signal(self, number: int) -> None:
        self.signals.append(number)

    def kill(self) -> None:
        self.signals.append(signal.SIGKILL)

    def wait(self, timeout: float | None = None) -> None:
        if self.hangs and timeout is not None:
            raise subprocess.TimeoutExpired("worker", timeout)


@pytest.fixture
def process(monkeypatch: pytest.MonkeyPatch) -> Process:
    found = Process()

    def popen(words: list[str], **_: Any) -> Process:
        found.words = words
        return found

    monkeypatch.setattr(module.subprocess, "Popen", popen)
    monkeypatch.setattr(module, "remove_run", lambda _: SimpleNamespace(left=["mount /x"]))
    return found


@pytest.fixture
def client(process: Process, tmp_path: Path) -> WorkerClient:
    return WorkerClient(
        Run("r1", tmp_path), tmp_path / "image", world="generous", account="111122223333"
    )


def test_the_worker_is_started_for_its_run(
    client: WorkerClient, process: Process, tmp_path: Path
) -> None:
    assert process.words[1:] == [
        *("-m", "clusterwright_rehearsal.worker", "--run", "r1", "--folder", str(tmp_path)),
        *("--world", "generous", "--account", "111122223333"),
        *("--image", str(tmp_path / "image")),
    ]
    assert client.url == client.url == "http://localhost:1"


def test_without_an_image_there_are_no_machines(process: Process, tmp_path: Path) -> None:
    WorkerClient(Run("r1", tmp_path), None, world="w", account="a", lifecycle=tmp_path)
    assert "--image" not in process.words
    assert process.words[-2:] == ["--lifecycle", str(tmp_path)]


def test_the_worker_knows_the_images_with_a_newer_slurm(process: Process, tmp_path: Path) -> None:
    newer = {"26.05": tmp_path / "newer"}
    WorkerClient(Run("r1", tmp_path), tmp_path, world="w", account="a", newer=newer)
    assert process.words[-1] == f"--newer-image=26.05={tmp_path / 'newer'}"


@pytest.mark.parametrize(
    ("log", "shown"), [("Traceback\n", "Traceback"), ("", "its log is empty")]
)
def test_a_worker_that_ends_at_once_shows_its_log(
    client: WorkerClient, process: Process, tmp_path: Path, log: str, shown: str
) -> None:
    process.stdout = io.StringIO("")
    (tmp_path / "worker.log").write_text(log)
    with pytest.raises(RehearsalError, match=f"the worker process did not start: {shown}"):
        _ = client.url


class TestRequests:
    def answer(self, monkeypatch: pytest.MonkeyPatch, text: str) -> Mock:
        connection = Mock()
        connection.makefile.return_value = io.StringIO(text)
        made = Mock()
        made.return_value.__enter__ = Mock(return_value=connection)
        made.return_value.__exit__ = Mock(return_value=False)
        monkeypatch.setattr(socket, "socket", made)
        return connection

    def test_a_result(self, client: WorkerClient, monkeypatch: pytest.MonkeyPatch) -> None:
        connection = self.answer(monkeypatch, '{"ok": [1]}\n')
        assert client.ask("crash", node="workers-1") == [1]
        sent = json.loads(connection.sendall.call_args.args[0])
        assert sent == {"do": "crash", "node": "workers-1"}

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ('{"error": "LookupError: no node x"}\n', "crash: LookupError: no node x"),
            ("", "the worker process does not answer"),
        ],
    )
    def test_a_failure(
        self, client: WorkerClient, monkeypatch: pytest.MonkeyPatch, text: str, message: str
    ) -> None:
        self.answer(monkeypatch, text)
        with pytest.raises(RehearsalError, match=message):
            client.ask("crash", node="x")


class TestEnd:
    def test_by_a_signal(self, client: WorkerClient, process: Process) -> None:
        assert client.close() == ["mount /x"]
        assert process.signals == [signal.SIGTERM]
        assert process.stdin.closed

    def test_by_force_if_it_does_not_end(self, client: WorkerClient, process: Process) -> None:
        process.hangs = True
        client.close()
        assert process.signals == [signal.SIGTERM, signal.SIGKILL]

    def test_a_kept_run_is_marked(self, client: WorkerClient) -> None:
        client.keep()
        assert client.run.keep_mark.exists()


def test_the_environment_leads_to_no_real_account(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_PROFILE", "production")
    monkeypatch.setenv("CDK_DEFAULT_ACCOUNT", "1")
    found = _environment()
    assert not {"AWS_PROFILE", "CDK_DEFAULT_ACCOUNT"} & found.keys()
    assert found["AWS_EC2_METADATA_DISABLED"] == "true"
