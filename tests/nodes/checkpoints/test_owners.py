"""One user's copies that stop, hang or talk too much do not stop another's."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from clusterwright_checkpoints import names, owners
from clusterwright_checkpoints.owners import Owners

LIFECYCLE = Path(__file__).parents[3] / "lifecycle_scripts"
STOPPED, OTHER = 12345, 12346
"""UIDs; the first one's run is the first in the folder."""
PYTHON = next(p for p in ("/usr/bin/python3", "/usr/local/bin/python3") if Path(p).exists())
"""One that every user may run."""

root_only = pytest.mark.skipif(os.geteuid() != 0, reason="only root can be another user")


@pytest.fixture
def folder() -> Iterator[Path]:
    """Outside of pytest's folder, which other users may not enter."""
    # A copy has a session of its own: it may outlive the service that a test kills.
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        path = Path(name)
        path.chmod(0o755)
        shutil.copytree(LIFECYCLE, path / "program")
        (path / "shared").mkdir()
        (path / "shared").chmod(0o1777)
        for run, owner in (("a-stopped", STOPPED), ("b-other", OTHER)):
            step = path / "local" / run / "step-1"
            step.mkdir(parents=True)
            (step / "shard.bin").write_bytes(b"x" * 1000)
            (step / names.COMPLETE).write_text("")
            for each in (step.parent, step, *step.iterdir()):
                os.chown(each, owner, owner)
        yield path


@contextlib.contextmanager
def unreadable_for_a_while(path: Path) -> Iterator[None]:
    """Whoever opens the file waits, as on a mount that does not answer: a lease is not given up.

    fcntl(2), "Leases": the kernel breaks it after /proc/sys/fs/lease-break-time, 45 s.
    """
    previous = signal.signal(signal.SIGIO, signal.SIG_IGN)
    handle = os.open(path, os.O_RDWR)
    try:
        fcntl.fcntl(handle, fcntl.F_SETLEASE, fcntl.F_WRLCK)
        yield
    finally:
        os.close(handle)
        signal.signal(signal.SIGIO, previous)


def program(folder: Path, mode: str, *options: str) -> subprocess.Popen[str]:
    argv = [
        PYTHON, "-B", "-m", "clusterwright_checkpoints", mode, f"--local={folder / 'local'}",
        f"--shared={folder / 'shared'}", "--node=n1", *options,
    ]  # fmt: skip
    return subprocess.Popen(
        argv,
        cwd="/",
        env={"PATH": "/usr/bin:/bin", "PYTHONPATH": str(folder / "program")},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def copied(folder: Path, run: str) -> bool:
    return (folder / "shared" / run / "step-1" / names.MANIFEST).is_file()


def wait_until(condition: object, seconds: float = 15.0) -> bool:
    ends = time.monotonic() + seconds
    while time.monotonic() < ends:
        if condition():  # type: ignore[operator]
            return True
        time.sleep(0.05)
    return False


@root_only
def test_a_user_whose_copy_hangs_does_not_stop_the_others(folder: Path) -> None:
    with unreadable_for_a_while(folder / "local/a-stopped/step-1/shard.bin"):
        serving = program(folder, "serve", "--every-seconds=0.2")
        try:
            assert wait_until(lambda: copied(folder, "b-other"))
            assert not copied(folder, "a-stopped")
            # Also what the other writes later.
            step = folder / "local/b-other/step-2"
            shutil.copytree(folder / "local/b-other/step-1", step)
            for each in (step, *step.iterdir()):
                os.chown(each, OTHER, OTHER)
            later = folder / "shared/b-other/step-2" / names.MANIFEST
            assert wait_until(later.is_file)
        finally:
            serving.kill()
            serving.communicate()


@root_only
def test_a_copy_ends_at_its_limit_and_is_repeated(folder: Path) -> None:
    with unreadable_for_a_while(folder / "local/a-stopped/step-1/shard.bin"):
        done = program(folder, "once", "--limit-seconds=1")
        output, _ = done.communicate(timeout=30)
    assert done.returncode == 1
    (late,) = [row for row in map(json.loads, output.splitlines()) if row["event"] == "refused"]
    assert late["checkpoint"] == "a-stopped"
    assert late["text"] == "did not end within 1 s and was ended; it is repeated"
    assert copied(folder, "b-other")
    again = program(folder, "once")
    again.communicate(timeout=30)
    assert again.returncode == 0
    assert copied(folder, "a-stopped")


@root_only
def test_a_stopped_process_ends_at_the_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A user sends SIGSTOP to each process of their own."""
    told: list[tuple[str, str, str]] = []
    run = tmp_path / "run"
    run.mkdir()
    stop = "import os, signal; os.kill(os.getpid(), signal.SIGSTOP)"
    monkeypatch.setattr(
        owners.subprocess, "Popen", _popen([sys.executable, "-c", stop], owners.subprocess.Popen)
    )
    copies = Owners(lambda _: [], 0.5, lambda *event: told.append(event))
    copies.start([run])
    assert copies.wait(time.monotonic() + 10) == 1
    assert told == [("refused", "run", "did not end within 0.5 s and was ended; it is repeated")]


def test_an_owner_has_one_process_at_a_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs = [tmp_path / "run-1", tmp_path / "run-2"]
    for run in runs:
        run.mkdir()
    started: list[Path] = []

    def command(run: Path) -> list[str]:
        started.append(run)
        return []

    sleep = [sys.executable, "-c", "import time; time.sleep(1)"]
    monkeypatch.setattr(owners.subprocess, "Popen", _popen(sleep, owners.subprocess.Popen))
    copies = Owners(command, 30.0, lambda *_: None)
    for _ in range(5):
        copies.start(runs)
    time.sleep(0.3)
    assert started == runs[:1]
    assert copies.wait(time.monotonic() + 20) == 0
    assert started == runs


def test_output_of_a_users_process_is_neither_trusted_nor_kept_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run = tmp_path / "run"
    run.mkdir()
    event = {"time": "t", "event": "copied", "checkpoint": "step-1", "text": "\x1b[31mred"}
    script = (
        f"print({json.dumps(event)!r}); print('root logged in'); print('[1, 2]')\n"
        "print('{\"event\": 1}'); print('x' * 50_000_000)"
    )
    monkeypatch.setattr(
        owners.subprocess, "Popen", _popen([sys.executable, "-c", script], owners.subprocess.Popen)
    )
    copies = Owners(lambda _: [], 30.0, lambda *_: None)
    copies.start([run])
    assert copies.wait(time.monotonic() + 30) == 0
    output = capsys.readouterr().out
    assert [json.loads(line) for line in output.splitlines()] == [event]
    assert "\x1b" not in output


def _popen(argv: list[str], real: type[subprocess.Popen[str]]) -> object:
    """A `Popen` that runs another program in place of a copy."""
    return lambda _argv, **settings: real(argv, **settings)
