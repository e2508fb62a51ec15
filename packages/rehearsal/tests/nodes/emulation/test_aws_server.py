"""The server of the AWS CLI runs the calls that its processes run as any other would."""

from __future__ import annotations

import keyword
import resource
import shutil
import socket
import time
from pathlib import Path

import pytest

from clusterwright_rehearsal.prerequisites import nodes_unavailable
from packages.rehearsal.tests.nodes.emulation.installed_aws import SECONDS, Installed, install


def test_error_of_a_call_is_printed_and_leaves_the_server(aws: Installed) -> None:
    done = aws.run("raise")
    assert done.returncode == 1
    assert done.stderr.endswith("ValueError: of this call\n")
    assert aws.serves()


def test_call_that_the_server_would_run_otherwise_is_started_as_usual(aws: Installed) -> None:
    assert aws.serves()
    assert not aws.serves(environment={"PYTHONUTF8": "1"})
    assert not aws.serves(environment={"AWS_DATA_PATH": "/other"})
    assert not aws.serves(before=("setpriv", "--no-new-privs"))


def test_call_has_the_modules_of_its_client_unless_they_replace_imported_ones(
    aws: Installed, tmp_path: Path
) -> None:
    """Services of nodes set PYTHONPATH, and their commands inherit it."""
    (tmp_path / "own_module.py").write_text("")
    variables = {"PYTHONDONTWRITEBYTECODE": "1", "PYTHONUNBUFFERED": "1"}
    given = {"PYTHONPATH": str(tmp_path), **variables}
    found = aws.seen("x", environment=given)
    assert found["parent"] == aws.server.pid
    assert found["paths"][1] == str(tmp_path)
    assert not found["writes_bytecode"]
    shutil.copy(keyword.__file__, tmp_path)
    assert not aws.serves(environment=given)


@pytest.mark.parametrize("most", [7, 8, 9, 10])
def test_call_with_few_open_files_ends_and_leaves_no_process(aws: Installed, most: int) -> None:
    done = aws.run("end", "7", before=("prlimit", f"--nofile={most}", "--"))
    assert (done.returncode, done.stderr) == (7, "")
    _wait_for_the_end_of_all(aws)
    assert aws.serves()


def test_call_has_files_whose_numbers_are_above_its_limit(aws: Installed, tmp_path: Path) -> None:
    (tmp_path / "text").write_text("of an open file")
    script = 'exec 20<"$0"; ulimit -n 12; exec "$@"'
    before = ("bash", "-c", script, str(tmp_path / "text"))
    assert aws.run("read", "/dev/fd/20", before=before).stdout == "of an open file"
    assert aws.serves(before=before)


def test_call_has_files_whose_numbers_are_above_the_limit_of_the_server(
    aws: Installed, tmp_path: Path
) -> None:
    (tmp_path / "text").write_text("of an open file")
    before = ("bash", "-c", 'exec 200<"$0"; exec "$@"', str(tmp_path / "text"))
    lasting = resource.prlimit(aws.server.pid, resource.RLIMIT_NOFILE)
    resource.prlimit(aws.server.pid, resource.RLIMIT_NOFILE, (64, lasting[1]))
    try:
        assert aws.serves(before=before)
    finally:
        resource.prlimit(aws.server.pid, resource.RLIMIT_NOFILE, lasting)


def test_request_that_cannot_be_read_leaves_one_server(aws: Installed) -> None:
    with aws.connect() as connection:
        socket.send_fds(connection, [(5).to_bytes(4, "big")], [0])
        connection.sendall(b"zzzzz")
        assert connection.recv(1) != b"s"
    _wait_for_the_end_of_all(aws)
    assert aws.serves()


def test_call_whose_error_output_is_closed_ends_as_the_real_one(aws: Installed) -> None:
    before = ("bash", "-c", 'exec 2> >(exec true); wait $!; exec "$@"', "bash")
    done = aws.run("end", "in words", before=before)
    alone = aws.run("end", "in words", before=before, environment={"PYTHONUTF8": "1"})
    assert done.returncode == alone.returncode
    _wait_for_the_end_of_all(aws)


def test_silent_connection_delays_no_call(tmp_path: Path) -> None:
    found = install(tmp_path, receive_s=10.0 * SECONDS)
    try:
        with found.connect():
            assert found.serves()
        _wait_for_the_end_of_all(found)
    finally:
        found.server.kill()
        found.server.wait()


def _wait_for_the_end_of_all(aws: Installed) -> None:
    ends = time.monotonic() + SECONDS
    while aws.processes():
        assert time.monotonic() < ends, "a process of the server goes on"
        time.sleep(0.01)


def test_server_whose_import_has_started_a_thread_serves_no_call(tmp_path: Path) -> None:
    """A fork would lack the thread."""
    thread = "import threading, time\nthreading.Thread(target=time.sleep, args=(60,)).start()\n"
    found = install(tmp_path, imported=thread)
    try:
        assert not found.serves()
    finally:
        found.server.kill()
        found.server.wait()


def test_server_ends_when_it_is_idle(tmp_path: Path) -> None:
    found = install(tmp_path, idle_s=0.5)
    assert found.server.wait(SECONDS) == 0


@pytest.mark.slurm
def test_call_is_in_the_namespaces_of_its_client(aws: Installed) -> None:
    reason = nodes_unavailable()
    if reason is not None:
        pytest.skip(reason)
    inside = ("unshare", "--uts", "--mount", "--net", "sh", "-c", 'hostname other && exec "$@"')
    found = aws.seen("x", before=(*inside, "sh"))
    assert (found["host"], found["parent"]) == ("other", aws.server.pid)
