"""Everything a run makes outside its own folder, written down before it is made.

One line of JSON per thing, in `made.jsonl` of the run's folder. Whoever comes later, after a crash
or a `kill -9` of everybody who knew, can take it all away and look whether it is gone. Things are
removed in the reverse order; what is not there is fine.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

MADE = "made.jsonl"
_END_SECONDS = 10.0


@dataclass(frozen=True)
class Thing:
    """One thing: its kind and its name; `detail` is what removing it needs besides."""

    kind: str  # process | netns | mount | cgroup
    name: str
    detail: str = ""

    def __str__(self) -> str:
        return f"{self.kind} {self.name}"


class Registry:
    """The list of one run. Safe from several threads."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / MADE
        self._lock = threading.Lock()

    def add(self, kind: str, name: str, detail: str = "") -> None:
        """Note a thing that is about to be made (a process: that has just been started)."""
        line = json.dumps({"kind": kind, "name": name, "detail": detail}) + "\n"
        with self._lock, self._path.open("a") as file:
            file.write(line)
            file.flush()

    def add_process(self, pid: int, what: str) -> None:
        """Note a process, with its start time: a number alone may belong to another one later."""
        self.add("process", str(pid), f"{start_time(pid)} {what}")

    def things(self) -> list[Thing]:
        return read(self._path)


def read(path: Path) -> list[Thing]:
    """The things of a list, the latest first; a line that was cut off is passed over."""
    found: dict[Thing, None] = {}
    try:
        lines = path.read_text().splitlines()
    except FileNotFoundError:
        return []
    for line in reversed(lines):
        with contextlib.suppress(ValueError, KeyError):
            entry = json.loads(line)
            found.setdefault(Thing(entry["kind"], entry["name"], entry["detail"]))
    order = ["process", "mount", "netns", "cgroup"]
    return sorted(found, key=lambda thing: order.index(thing.kind))


def remains(things: list[Thing]) -> list[Thing]:
    """Those that are still there."""
    mounted = set(_mount_points())
    return [thing for thing in things if _is_there(thing, mounted)]


def remove(things: list[Thing], report: Callable[[Thing], None] | None = None) -> list[Thing]:
    """Remove what is there and return what would not go."""
    there = remains(things)
    for thing in [t for t in there if t.kind == "process"]:
        _kill(thing)
    _wait_gone([t for t in there if t.kind == "process"])
    for thing in [t for t in there if t.kind == "mount"]:
        _unmount(thing.name)
    for thing in [t for t in there if t.kind == "netns"]:
        subprocess.run(["ip", "netns", "delete", thing.name], capture_output=True, check=False)
    for thing in [t for t in there if t.kind == "cgroup"]:
        _remove_cgroup(Path(thing.name))
    left = remains(there)
    for thing in there:
        if report is not None and thing not in left:
            report(thing)
    return left


def start_time(pid: int) -> str:
    """When a process was started, in the kernel's ticks; empty where there is none."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return ""
    fields = text.rpartition(")")[2].split()
    return "" if fields[0] == "Z" else fields[19]


def _is_there(thing: Thing, mounted: set[str]) -> bool:
    if thing.kind == "process":
        return start_time(int(thing.name)) == thing.detail.split(" ")[0] != ""
    if thing.kind == "netns":
        return Path(f"/run/netns/{thing.name}").exists()
    if thing.kind == "mount":
        return thing.name in mounted
    return Path(thing.name).is_dir()


def _kill(thing: Thing) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.kill(int(thing.name), signal.SIGKILL)


def _wait_gone(processes: list[Thing]) -> None:
    ends = time.monotonic() + _END_SECONDS
    while time.monotonic() < ends and any(_is_there(thing, set()) for thing in processes):
        for thing in processes:
            with contextlib.suppress(ChildProcessError):
                os.waitpid(int(thing.name), os.WNOHANG)
        time.sleep(0.02)


def _unmount(path: str) -> None:
    # Several may lie on top of each other.
    for _ in range(10):
        if path not in _mount_points():
            return
        subprocess.run(["umount", "--lazy", path], capture_output=True, check=False)


def _remove_cgroup(path: Path) -> None:
    ends = time.monotonic() + _END_SECONDS
    while path.is_dir():
        for folder in sorted((p for p in path.rglob("*") if p.is_dir()), reverse=True):
            _end_cgroup(folder)
        _end_cgroup(path)
        if not path.is_dir() or time.monotonic() > ends:
            return
        time.sleep(0.05)


def _end_cgroup(folder: Path) -> None:
    with contextlib.suppress(OSError):
        for pid in (folder / "cgroup.procs").read_text().split():
            with contextlib.suppress(ProcessLookupError):
                os.kill(int(pid), signal.SIGKILL)
    with contextlib.suppress(OSError):
        folder.rmdir()


def _mount_points() -> Iterator[str]:
    for line in Path("/proc/self/mountinfo").read_text().splitlines():
        yield line.split(" ")[4].encode().decode("unicode_escape")
