"""Resources of a run are recorded, found and removed by another process."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from clusterwright_rehearsal import registry
from clusterwright_rehearsal.registry import Registry, Resource


def _sleeper() -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])


def test_recorded_process_is_ended(tmp_path: Path) -> None:
    process = _sleeper()
    Registry(tmp_path).add_process(process.pid, "a test")
    (thing,) = registry.read(tmp_path / registry.FILE)
    removed: list[Resource] = []
    assert registry.remove([thing], removed.append) == []
    assert removed == [thing]
    assert process.poll() is not None or not registry.start_time(process.pid)


def test_children_of_a_recorded_process_are_ended(tmp_path: Path) -> None:
    """`cdk` runs the app, which runs Node: killing `cdk` alone leaves both."""
    process = subprocess.Popen(
        ["sh", "-c", "sleep 600 & echo $!; wait"], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    child = int(process.stdout.readline())
    process.stdout.close()
    Registry(tmp_path).add_process(process.pid, "cdk deploy")
    removed: list[Resource] = []
    assert registry.remove(registry.read(tmp_path / registry.FILE), removed.append) == []
    assert [resource.name for resource in removed] == [str(process.pid), str(child)]
    assert not registry.start_time(child)


def test_this_process_is_no_descendant_to_end() -> None:
    parent = Resource("process", str(os.getppid()))
    assert str(os.getpid()) not in {one.name for one in registry.descendants([parent])}


def test_reused_process_id_is_not_killed(tmp_path: Path) -> None:
    list_ = Registry(tmp_path)
    list_.add("process", str(os.getpid()), "1 not this one")
    list_.add("process", "999999999", " never started")
    things = list_.resources()
    assert registry.remains(things) == []
    assert registry.remove(things) == []


def test_incomplete_line_is_skipped(tmp_path: Path) -> None:
    list_ = Registry(tmp_path)
    list_.add("netns", "cw-test-a")
    with (tmp_path / registry.FILE).open("a") as file:
        file.write('{"kind": "netns", "na')
    assert list_.resources() == [Resource("netns", "cw-test-a")]


def test_processes_are_removed_first_and_cgroups_last(tmp_path: Path) -> None:
    list_ = Registry(tmp_path)
    for kind in ("cgroup", "netns", "mount", "process"):
        list_.add(kind, "1" if kind == "process" else f"/{kind}")
    assert [t.kind for t in list_.resources()] == ["process", "mount", "netns", "cgroup"]
