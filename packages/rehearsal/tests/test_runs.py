"""Folders of runs, and the clean-up of earlier runs."""

from __future__ import annotations

import subprocess
import sys
import threading
from contextlib import ExitStack
from pathlib import Path

from clusterwright_rehearsal import runs
from clusterwright_rehearsal.locks import exclusive
from clusterwright_rehearsal.registry import Registry


def _sleeper() -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])


def test_clean_removes_abandoned_runs(tmp_path: Path) -> None:
    run = runs.new_run(tmp_path)
    process = _sleeper()
    Registry(run.folder).add_process(process.pid, "a test")
    found = runs.clean(tmp_path)
    assert found.left == found.alive == ()
    assert f"process {process.pid}" in found.removed
    assert not run.folder.exists()
    process.wait()
    assert runs.clean(tmp_path) == runs.Cleaned((), (), ())


def test_clean_does_not_touch_a_run_in_progress(tmp_path: Path) -> None:
    run = runs.new_run(tmp_path)
    with exclusive(run.lock):
        found = runs.clean(tmp_path)
    assert found.alive == (run.id,)
    assert run.folder.exists()


def test_clean_waits_for_a_worker_that_is_ending(tmp_path: Path) -> None:
    run = runs.new_run(tmp_path)
    with ExitStack() as stack:
        stack.enter_context(exclusive(run.lock))
        ending = threading.Timer(0.5, stack.pop_all().close)
        ending.start()
        assert runs.clean(tmp_path).alive == (run.id,)
        found = runs.clean(tmp_path, grace_seconds=60)
    ending.join()
    assert found.alive == ()
    assert not run.folder.exists()


def test_two_runs_have_different_ids_and_folders(tmp_path: Path) -> None:
    first, second = runs.new_run(tmp_path), runs.new_run(tmp_path)
    assert first.id != second.id
    assert first.folder != second.folder
