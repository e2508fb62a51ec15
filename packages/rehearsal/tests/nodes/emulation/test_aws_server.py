"""The server of the AWS CLI runs the calls that its processes run as any other would."""

from __future__ import annotations

import keyword
import shutil
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
