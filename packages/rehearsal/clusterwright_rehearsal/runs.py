"""The state folder: images in `cache/`, one folder per run in `runs/`, and the clean-up of runs.

Every name that a run creates contains its id, and it uses no addresses of the host's network, so
that concurrent runs do not interfere. A run's folder is locked while a process works in it.
"""

from __future__ import annotations

import json
import os
import secrets
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from clusterwright_rehearsal import registry
from clusterwright_rehearsal.errors import RehearsalError
from clusterwright_rehearsal.locks import exclusive, exclusive_until, shared

DEFAULT_STATE = Path("/var/lib/clusterwright")
_INOTIFY = Path("/proc/sys/fs/inotify/max_user_instances")
_SHARED_STATE = Path("/run/clusterwright-rehearsal")
_INOTIFY_WANTED = 8192
"""systemd needs 3 to 4 inotify instances per machine; the default of 128 allows 29 machines."""


@dataclass(frozen=True)
class Run:
    """The id and the folder of a run."""

    id: str
    folder: Path

    @property
    def control(self) -> Path:
        return self.folder / "control.sock"

    @property
    def keep_mark(self) -> Path:
        """If this file exists, the worker continues after the end of its parent."""
        return self.folder / "keep"

    @property
    def lock(self) -> Path:
        return self.folder / "lock"

    @property
    def timeline(self) -> Path:
        """The events of the run's nodes, one line of JSON each."""
        return self.folder / "timeline.jsonl"


@dataclass(frozen=True)
class Cleaned:
    """Result of `clean`: resources removed, resources left, and runs in progress."""

    removed: tuple[str, ...]
    left: tuple[str, ...]
    alive: tuple[str, ...]


def new_run(state: Path) -> Run:
    """Create the folder of a new run.

    Raises
    ------
    RehearsalError
        The state folder cannot be written.
    """
    identity = secrets.token_hex(3)
    folder = state / "runs" / identity
    try:
        folder.mkdir(parents=True)
    except OSError as error:
        raise RehearsalError(
            f"{folder} cannot be created: {error.strerror}", "choose another with --state-dir"
        ) from error
    return Run(identity, folder)


def runs(state: Path) -> list[Run]:
    folder = state / "runs"
    if not folder.is_dir():
        return []
    return [Run(path.name, path) for path in sorted(folder.iterdir()) if path.is_dir()]


def remove_run(run: Run) -> Cleaned:
    """Remove everything that a run created; no process may be working in it."""
    removed: list[str] = []
    # The worker calls this for its parent, and must not end itself.
    own = str(os.getpid())
    resources = [
        resource
        for resource in registry.read(run.folder / registry.FILE)
        if (resource.kind, resource.name) != ("process", own)
    ]
    left = registry.remove(resources, lambda resource: removed.append(str(resource)))
    for folder in _cgroups(run.id):
        registry.remove([registry.Resource("cgroup", str(folder))])
    if not left:
        shutil.rmtree(run.folder, ignore_errors=True)
        removed.append(f"folder {run.folder}")
    return Cleaned(tuple(removed), tuple(str(resource) for resource in left), ())


def clean(state: Path, *, also_kept: bool = True, grace_seconds: float = 0.0) -> Cleaned:
    """Remove the resources of earlier runs, and check that they are gone.

    A run in progress is not touched and reported in `alive`, except a kept one (`--keep`) if
    `also_kept` is true. `grace_seconds`, for all runs together, allows for workers that have just
    been killed: the kernel needs a moment to end a process with many threads, and holds its locks
    until then.
    """
    removed: list[str] = []
    left: list[str] = []
    alive: list[str] = []
    ends = time.monotonic() + grace_seconds
    for run in runs(state):
        kept = also_kept and run.keep_mark.exists()
        with exclusive_until(run.lock, 0.0 if kept else ends) as got:
            if not got and not kept:
                alive.append(run.id)
                continue
            found = remove_run(run)
            removed += found.removed
            left += found.left
    removed += restore_sysctls()
    return Cleaned(tuple(removed), tuple(left), tuple(alive))


@contextmanager
def raised_inotify_limit() -> Iterator[None]:
    """Raise the limit of inotify instances during a run; the last run restores it.

    The lock and the former value are in /run, because the limit applies to the whole host,
    whatever state folders its runs use.
    """
    _SHARED_STATE.mkdir(parents=True, exist_ok=True)
    with exclusive(_SHARED_STATE / "change.lock"):
        before = int(_INOTIFY.read_text())
        if before < _INOTIFY_WANTED:
            _former_values().write_text(json.dumps({str(_INOTIFY): before}))
            _INOTIFY.write_text(str(_INOTIFY_WANTED))
    try:
        with shared(_SHARED_STATE / "users.lock"):
            yield
    finally:
        restore_sysctls()


def restore_sysctls() -> list[str]:
    """Restore what `raised_inotify_limit` changed unless a run still needs it; return what."""
    if not _former_values().exists():
        return []
    with (
        exclusive(_SHARED_STATE / "change.lock"),
        exclusive(_SHARED_STATE / "users.lock", block=False) as unused,
    ):
        if not unused or not _former_values().exists():
            return []
        values = json.loads(_former_values().read_text())
        for path, value in values.items():
            Path(path).write_text(str(value))
        _former_values().unlink()
        return [f"setting {path}, back to {value}" for path, value in values.items()]


def _former_values() -> Path:
    return _SHARED_STATE / "sysctl.json"


def _cgroups(identity: str) -> list[Path]:
    base = Path("/sys/fs/cgroup")
    found = [base / f"clusterwright-{identity}"]
    found += [path / f"clusterwright-{identity}" for path in base.iterdir() if path.is_dir()]
    return [path for path in found if path.is_dir()]


def is_root() -> bool:
    return os.geteuid() == 0
