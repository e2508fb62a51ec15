"""Registry of the resources that a run creates outside its folder: processes, mounts, namespaces.

One line of JSON per resource, in `made.jsonl` of the run's folder, written before the resource is
created. After a crash or a `kill -9` of all processes, another process can remove the resources
and check that they are gone. They are removed in reverse order; a missing resource is no error.
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

FILE = "made.jsonl"
_END_SECONDS = 10.0


@dataclass(frozen=True)
class Resource:
    """One resource: kind and name; `detail` is additional information for its removal."""

    kind: str  # process | netns | mount | cgroup
    name: str
    detail: str = ""

    def __str__(self) -> str:
        return f"{self.kind} {self.name}"


class Registry:
    """The registry of one run. Thread-safe."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / FILE
        self._lock = threading.Lock()

    def add(self, kind: str, name: str, detail: str = "") -> None:
        """Record a resource before it is created (a process: after it was started)."""
        line = json.dumps({"kind": kind, "name": name, "detail": detail}) + "\n"
        with self._lock, self._path.open("a") as file:
            file.write(line)
            file.flush()

    def add_process(self, pid: int, label: str) -> None:
        """Record a process with its start time, because process ids are reused."""
        self.add("process", str(pid), f"{start_time(pid)} {label}")

    def resources(self) -> list[Resource]:
        return read(self._path)


def read(path: Path) -> list[Resource]:
    """The resources of a registry file in the order of removal; incomplete lines are skipped."""
    found: dict[Resource, None] = {}
    try:
        lines = path.read_text().splitlines()
    except FileNotFoundError:
        return []
    for line in reversed(lines):
        with contextlib.suppress(ValueError, KeyError):
            entry = json.loads(line)
            found.setdefault(Resource(entry["kind"], entry["name"], entry["detail"]))
    order = ["process", "mount", "netns", "cgroup"]
    return sorted(found, key=lambda resource: order.index(resource.kind))


def remains(resources: list[Resource]) -> list[Resource]:
    """The resources that still exist."""
    mounted = set(_mount_points())
    return [resource for resource in resources if _exists(resource, mounted)]


def remove(
    resources: list[Resource], report: Callable[[Resource], None] | None = None
) -> list[Resource]:
    """Remove resources; return those that could not be removed."""
    existing = remains(resources)
    processes = [t for t in existing if t.kind == "process"]
    existing += descendants(processes)
    for resource in [t for t in existing if t.kind == "process"]:
        _kill(resource)
    _wait_gone([t for t in existing if t.kind == "process"])
    for resource in [t for t in existing if t.kind == "mount"]:
        _unmount(resource.name)
    for resource in [t for t in existing if t.kind == "netns"]:
        subprocess.run(["ip", "netns", "delete", resource.name], capture_output=True, check=False)
    for resource in [t for t in existing if t.kind == "cgroup"]:
        _remove_cgroup(Path(resource.name))
    left = remains(existing)
    for resource in existing:
        if report is not None and resource not in left:
            report(resource)
    return left


def descendants(processes: list[Resource]) -> list[Resource]:
    """The processes that these have started, also indirectly; never this one."""
    children: dict[int, list[int]] = {}
    for folder in Path("/proc").iterdir():
        fields = _stat(int(folder.name)) if folder.name.isdecimal() else []
        if fields:
            children.setdefault(int(fields[1]), []).append(int(folder.name))
    seen = {os.getpid(), *(int(process.name) for process in processes)}
    found: list[Resource] = []
    waiting = [int(process.name) for process in processes]
    while waiting:
        for pid in children.get(waiting.pop(), []):
            if pid not in seen:
                seen.add(pid)
                waiting.append(pid)
                found.append(Resource("process", str(pid), start_time(pid)))
    return found


def start_time(pid: int) -> str:
    """The start time of a process in clock ticks; empty if it does not exist."""
    fields = _stat(pid)
    return fields[19] if fields else ""


def _stat(pid: int) -> list[str]:
    """The fields of /proc/PID/stat after the name; none if the process has ended."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return []
    fields = text.rpartition(")")[2].split()
    return [] if fields[0] == "Z" else fields


def _exists(resource: Resource, mounted: set[str]) -> bool:
    if resource.kind == "process":
        return start_time(int(resource.name)) == resource.detail.split(" ")[0] != ""
    if resource.kind == "netns":
        return Path(f"/run/netns/{resource.name}").exists()
    if resource.kind == "mount":
        return resource.name in mounted
    return Path(resource.name).is_dir()


def _kill(resource: Resource) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.kill(int(resource.name), signal.SIGKILL)


def _wait_gone(processes: list[Resource]) -> None:
    ends = time.monotonic() + _END_SECONDS
    while time.monotonic() < ends and any(_exists(resource, set()) for resource in processes):
        for resource in processes:
            with contextlib.suppress(ChildProcessError):
                os.waitpid(int(resource.name), os.WNOHANG)
        time.sleep(0.02)


def _unmount(path: str) -> None:
    # Several file systems may be mounted on the same path.
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
