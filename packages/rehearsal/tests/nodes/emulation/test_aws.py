"""A call of the AWS CLI through its server has what its client has, and ends with it."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from packages.rehearsal.tests.nodes.emulation.installed_aws import SECONDS, Installed, install


def test_call_has_what_its_client_has(aws: Installed, tmp_path: Path) -> None:
    found = aws.seen(
        *("s3", "ls", "ä"),
        environment={"AWS_REGION": "eu-central-1"},
        input="read this",
        cwd=tmp_path,
        umask=0o027,
        before=("prlimit", "--nofile=123", "--"),
    )
    assert found.pop("environment") == {
        "PATH": os.environ["PATH"],
        "LANG": "C.UTF-8",
        "AWS_REGION": "eu-central-1",
        "AWS_DATA_PATH": "/data",
    }
    del found["paths"], found["writes_bytecode"]
    assert found == {
        "words": ["s3", "ls", "ä"],
        "mask": 0o027,
        "folder": str(tmp_path),
        "input": "read this",
        "parent": aws.server.pid,
        "host": os.uname().nodename,
        "limit": 123,
    }


def test_call_reads_files_that_its_client_inherited(aws: Installed, tmp_path: Path) -> None:
    (tmp_path / "text").write_text("of an open file")
    with (tmp_path / "text").open() as file:
        number = file.fileno()
        done = aws.run("read", f"/dev/fd/{number}", pass_fds=(number,))
    assert done.stdout == "of an open file"


@pytest.mark.parametrize(
    ("words", "code", "error"),
    [
        (["end", "0"], 0, ""),
        (["end", "252"], 252, ""),
        (["end", "in words"], 1, "in words\n"),
        (["die", "9"], -signal.SIGKILL, ""),
        (["die", "15"], -signal.SIGTERM, ""),
    ],
)
def test_client_ends_as_its_call(aws: Installed, words: list[str], code: int, error: str) -> None:
    done = aws.run(*words)
    assert (done.returncode, done.stderr) == (code, error)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_killed_client_kills_its_call(aws: Installed, number: signal.Signals) -> None:
    with subprocess.Popen(aws.command("wait"), stdout=subprocess.PIPE) as client:
        assert client.stdout is not None
        call = int(client.stdout.readline())
        assert Path(f"/proc/{call}").exists()
        client.send_signal(number)
        assert client.wait() == -number
    ends = time.monotonic() + SECONDS
    while Path(f"/proc/{call}").exists():
        assert time.monotonic() < ends, "the call goes on"
        time.sleep(0.01)
    assert aws.serves()


def test_call_without_a_server_is_started_as_usual(tmp_path: Path) -> None:
    found = install(tmp_path)
    found.server.kill()
    found.server.wait()
    assert not found.serves()
    assert found.run("end", "7").returncode == 7
