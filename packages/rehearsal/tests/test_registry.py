"""What a run has made can be found and taken away by somebody who did not make it."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from contextlib import ExitStack
from pathlib import Path

from clusterwright_rehearsal import registry, runs
from clusterwright_rehearsal.locks import exclusive
from clusterwright_rehearsal.registry import Registry, Resource


def _sleeper() -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])


def test_a_process_is_ended_and_only_that_one(tmp_path: Path) -> None:
    process = _sleeper()
    Registry(tmp_path).add_process(process.pid, "a test")
    (thing,) = registry.read(tmp_path / registry.FILE)
    removed: list[Resource] = []
    assert registry.remove([thing], removed.append) == []
    assert removed == [thing]
    assert process.poll() is not None or not registry.start_time(process.pid)


def test_a_number_that_belongs_to_another_process_now_is_left_alone(tmp_path: Path) -> None:
    list_ = Registry(tmp_path)
    list_.add("process", str(os.getpid()), "1 not this one")
    list_.add("process", "999999999", " never started")
    things = list_.resources()
    assert registry.remains(things) == []
    assert registry.remove(things) == []


def test_a_line_that_was_cut_off_is_passed_over(tmp_path: Path) -> None:
    list_ = Registry(tmp_path)
    list_.add("netns", "cw-test-a")
    with (tmp_path / registry.FILE).open("a") as file:
        file.write('{"kind": "netns", "na')
    assert list_.resources() == [Resource("netns", "cw-test-a")]


def test_processes_go_first_and_cgroups_last(tmp_path: Path) -> None:
    list_ = Registry(tmp_path)
    for kind in ("cgroup", "netns", "mount", "process"):
        list_.add(kind, "1" if kind == "process" else f"/{kind}")
    assert [t.kind for t in list_.resources()] == ["process", "mount", "netns", "cgroup"]


def test_clean_removes_runs_of_which_nobody_is_left(tmp_path: Path) -> None:
    run = runs.new_run(tmp_path)
    process = _sleeper()
    Registry(run.folder).add_process(process.pid, "a test")
    found = runs.clean(tmp_path)
    assert found.left == found.alive == ()
    assert f"process {process.pid}" in found.removed
    assert not run.folder.exists()
    process.wait()
    assert runs.clean(tmp_path) == runs.Cleaned((), (), ())


def test_clean_leaves_a_run_alone_in_which_somebody_works(tmp_path: Path) -> None:
    run = runs.new_run(tmp_path)
    with exclusive(run.lock):
        found = runs.clean(tmp_path)
    assert found.alive == (run.id,)
    assert run.folder.exists()


def test_clean_waits_for_an_engine_that_is_ending(tmp_path: Path) -> None:
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


def test_two_runs_have_nothing_in_common(tmp_path: Path) -> None:
    first, second = runs.new_run(tmp_path), runs.new_run(tmp_path)
    assert first.id != second.id
    assert first.folder != second.folder
