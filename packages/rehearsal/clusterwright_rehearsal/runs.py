"""The state folder: images in `cache/`, one folder per run in `runs/`, and what is left of runs.

Runs have ids of their own, which are part of every name that they make, and no addresses in the
host's network: two at once do not meet. A run's folder is locked while anybody works in it.
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
_ROOM = Path("/run/clusterwright-rehearsal")
_INOTIFY_WANTED = 8192
"""systemd takes 3 to 4 inotify instances a machine; the kernel's default, 128, ends at 29."""


@dataclass(frozen=True)
class Run:
    """One run's folder."""

    id: str
    folder: Path

    @property
    def control(self) -> Path:
        return self.folder / "control.sock"

    @property
    def keep_mark(self) -> Path:
        """When it exists, the engine outlives whoever started it."""
        return self.folder / "keep"

    @property
    def lock(self) -> Path:
        return self.folder / "lock"


@dataclass(frozen=True)
class Cleaned:
    """What `clean` did: things removed, those that would not go, and runs that are still alive."""

    removed: tuple[str, ...]
    left: tuple[str, ...]
    alive: tuple[str, ...]


def new_run(state: Path) -> Run:
    """A fresh folder.

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
            f"{folder} cannot be made: {error.strerror}", "choose another with --state-dir"
        ) from error
    return Run(identity, folder)


def runs(state: Path) -> list[Run]:
    folder = state / "runs"
    if not folder.is_dir():
        return []
    return [Run(path.name, path) for path in sorted(folder.iterdir()) if path.is_dir()]


def take_away(run: Run) -> Cleaned:
    """Remove everything that a run made; nobody may be working in it any more."""
    removed: list[str] = []
    # The engine does it too, for whoever started it and is gone.
    own = str(os.getpid())
    things = [
        thing
        for thing in registry.read(run.folder / registry.MADE)
        if (thing.kind, thing.name) != ("process", own)
    ]
    left = registry.remove(things, lambda thing: removed.append(str(thing)))
    for folder in _cgroups(run.id):
        registry.remove([registry.Thing("cgroup", str(folder))])
    if not left:
        shutil.rmtree(run.folder, ignore_errors=True)
        removed.append(f"folder {run.folder}")
    return Cleaned(tuple(removed), tuple(str(thing) for thing in left), ())


def clean(state: Path, *, also_kept: bool = True, grace_seconds: float = 0.0) -> Cleaned:
    """Remove what runs have left, and look whether it is gone.

    A run in which somebody works is left alone and reported as alive, unless it was kept
    (`--keep`) and `also_kept` says that those go too. `grace_seconds`, for all runs together, is
    for engines that have just been killed: the kernel takes a moment to end a process with many
    threads, and holds its locks until then.
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
            found = take_away(run)
            removed += found.removed
            left += found.left
    removed += restore_sysctls()
    return Cleaned(tuple(removed), tuple(left), tuple(alive))


@contextmanager
def room_for_machines() -> Iterator[None]:
    """Raise the limit of inotify instances for the time of a run; the last run puts it back.

    The lock and the note lie in /run, as the limit is the whole machine's, whatever state folders
    its runs have.
    """
    _ROOM.mkdir(parents=True, exist_ok=True)
    with exclusive(_ROOM / "change.lock"):
        before = int(_INOTIFY.read_text())
        if before < _INOTIFY_WANTED:
            _note().write_text(json.dumps({str(_INOTIFY): before}))
            _INOTIFY.write_text(str(_INOTIFY_WANTED))
    try:
        with shared(_ROOM / "users.lock"):
            yield
    finally:
        restore_sysctls()


def restore_sysctls() -> list[str]:
    """Put back what `room_for_machines` changed, unless a run still needs it; says what."""
    if not _note().exists():
        return []
    with (
        exclusive(_ROOM / "change.lock"),
        exclusive(_ROOM / "users.lock", block=False) as unused,
    ):
        if not unused or not _note().exists():
            return []
        values = json.loads(_note().read_text())
        for path, value in values.items():
            Path(path).write_text(str(value))
        _note().unlink()
        return [f"setting {path}, back to {value}" for path, value in values.items()]


def _note() -> Path:
    return _ROOM / "sysctl.json"


def _cgroups(identity: str) -> list[Path]:
    base = Path("/sys/fs/cgroup")
    found = [base / f"clusterwright-{identity}"]
    found += [path / f"clusterwright-{identity}" for path in base.iterdir() if path.is_dir()]
    return [path for path in found if path.is_dir()]


def is_root() -> bool:
    return os.geteuid() == 0
