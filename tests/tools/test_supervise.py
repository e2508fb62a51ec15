"""A test run that is interrupted leaves no process behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="orphans are adopted on Linux")

_SERVER = """
import os, pathlib, time
pathlib.Path("server").write_text(str(os.getpid()))
time.sleep(600)
"""
_STUBBORN = f"import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN)\n{_SERVER}"
_LEAVES = """
import pathlib, subprocess, sys, time
subprocess.Popen([sys.executable, "-c", {server!r}], start_new_session=True)
while not pathlib.Path("server").exists() or not pathlib.Path("server").read_text():
    time.sleep(0.01)
{then}
"""


def start(folder: Path, then: str, server: str = _SERVER) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "tools.supervise", "-c", _LEAVES.format(server=server, then=then)],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stderr=subprocess.PIPE,
        text=True,
    )


def server_of(folder: Path) -> int:
    ends = time.monotonic() + 30
    while time.monotonic() < ends:
        with_pid = folder / "server"
        if with_pid.exists() and with_pid.read_text():
            return int(with_pid.read_text())
        time.sleep(0.02)
    raise AssertionError("the server has not started")


def is_gone(process: int) -> bool:
    return not Path(f"/proc/{process}").exists()


def test_the_exit_code_is_that_of_the_command_and_its_servers_end(tmp_path: Path) -> None:
    process = start(tmp_path, "sys.exit(3)")
    _, said = process.communicate(timeout=60)
    assert process.returncode == 3
    assert is_gone(server_of(tmp_path))
    assert "which was left behind" in said


def test_termination_interrupts_the_command_and_ends_its_servers(tmp_path: Path) -> None:
    process = start(tmp_path, "pathlib.Path('ready').touch(); time.sleep(600)")
    server = server_of(tmp_path)
    while not (tmp_path / "ready").exists():
        time.sleep(0.02)
    process.send_signal(signal.SIGTERM)
    _, said = process.communicate(timeout=60)
    assert "KeyboardInterrupt" in said
    assert process.returncode == 130
    assert is_gone(server)


def test_a_killed_command_leaves_nothing_either(tmp_path: Path) -> None:
    process = start(tmp_path, "import os; os.kill(os.getpid(), 9)")
    process.communicate(timeout=60)
    assert process.returncode == 128 + signal.SIGKILL
    assert is_gone(server_of(tmp_path))


def test_a_server_that_ignores_termination_is_killed(tmp_path: Path) -> None:
    program = (
        "import sys; from tools import supervise; sys.exit(supervise.main(sys.argv[1:], 0.2))"
    )
    words = ["-c", _LEAVES.format(server=_STUBBORN, then="")]
    subprocess.run(
        [sys.executable, "-c", program, *words],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        timeout=60,
        check=True,
    )
    assert is_gone(server_of(tmp_path))
