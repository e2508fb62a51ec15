"""Stdout that is full, closed, a closed pipe, or not UTF-8."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import Any

import pytest

SHOW = ("catalog", "show", "p5.48xlarge")


def shell(command: str, **environment: str) -> subprocess.CompletedProcess[bytes]:
    """Run a shell command in which `$cw` is clusterwright."""
    return subprocess.run(
        ["bash", "-c", command],
        env={**os.environ, "cw": f"{sys.executable} -m clusterwright", **environment},
        capture_output=True,
        check=False,
        timeout=60,
    )


@pytest.mark.parametrize(
    ("redirection", "message"),
    [
        (">/dev/full", b"error: stdout cannot be written: no space left on device\n"),
        (
            ">&-",
            b"error: stdout is closed\n\nhint: `> /dev/null` discards the output\n",
        ),
        (
            "1</dev/null",
            b"error: stdout cannot be written: bad file descriptor\n",
        ),
    ],
)
def test_stdout_that_cannot_be_written_is_an_error(redirection: str, message: bytes) -> None:
    done = shell(f"$cw {' '.join(SHOW)} {redirection}")
    assert (done.returncode, done.stderr) == (3, message)


def test_reader_that_closes_the_pipe_does_not_change_the_exit_code() -> None:
    done = shell("$cw catalog show p5.48xlarge --format json | true; exit ${PIPESTATUS[0]}")
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.parametrize(
    "environment",
    [
        {"PYTHONIOENCODING": "ascii"},
        {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"},
    ],
)
def test_output_is_utf_8_in_every_locale(environment: dict[str, Any]) -> None:
    usual = shell("$cw init --platform eks --environment x; $cw cost configs/dev.yaml")
    done = shell(
        "$cw init --platform eks --environment x; $cw cost configs/dev.yaml", **environment
    )
    assert (done.returncode, done.stderr) == (usual.returncode, usual.stderr)
    assert done.stdout == usual.stdout
    answer = shell("$cw cost configs/dev.yaml --format json", **environment)
    assert json.loads(answer.stdout.decode())["command"] == "cost"


def test_closed_stderr_and_stdin_are_not_reused() -> None:
    done = shell("$cw expand no-such-file.yaml 2>&- <&-")
    assert (done.returncode, done.stdout) == (3, b"")
