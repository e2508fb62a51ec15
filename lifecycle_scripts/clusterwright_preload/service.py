"""Load the folders in batches, and record the progress."""

from __future__ import annotations

import argparse
import json
import os
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from clusterwright_preload import files, lustre

_ARGUMENT_BYTES = 500_000
"""The maximum bytes of a command line; Linux accepts four times as many."""


class Stopped(Exception):
    """An error that a retry does not resolve."""


def main(argv: Sequence[str]) -> int:
    """Exit codes: 0 all is loaded, or it stopped for the reason in the status; 1 try again."""
    options = _parser().parse_args(argv)
    status = Status(Path(options.status), options.path)
    if status.value["state"] == "done":
        status.tell("done", "already loaded; nothing to do")
        return 0
    try:
        for path in options.path:
            _load(path, options, status)
    except Stopped as reason:
        status.save(state="stopped", reason=str(reason))
        status.tell("stopped", str(reason))
        return 0
    except (lustre.LustreError, OSError) as error:
        status.save(state="interrupted", reason=str(error))
        status.tell("interrupted", str(error))
        return 1
    status.save(state="done", reason=None)
    status.tell("done", "{files_loaded} files, {bytes_loaded} bytes loaded".format(**status.value))
    return 0


class Status:
    """The progress of a request, on disk; discarded when the request changes."""

    def __init__(self, path: Path, asked: Sequence[str]) -> None:
        self._path = path
        fresh: dict[str, Any] = {
            "schema_version": 1,
            "asked": list(asked),
            "state": "loading",
            "reason": None,
            "finished": [],
            "after": [],
            "files_seen": 0,
            "files_loaded": 0,
            "bytes_loaded": 0,
            "files_not_loaded": 0,
        }
        self.value = fresh
        try:
            found = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return
        same = isinstance(found, dict) and set(found) == {*fresh, "time"}
        if same and found["asked"] == fresh["asked"] and found["schema_version"] == 1:
            self.value = {key: found[key] for key in fresh}

    def save(self, **changes: Any) -> None:
        """Write it atomically."""
        self.value.update(changes)
        self._path.parent.mkdir(parents=True, exist_ok=True)
        temporary = self._path.with_name(f".{self._path.name}.new")
        text = json.dumps({**self.value, "time": _now()}, indent=2) + "\n"
        # Names that are not UTF-8 are kept as JSON escapes.
        temporary.write_text(text, encoding="utf-8")
        temporary.replace(self._path)

    def tell(self, event: str, text: str) -> None:
        print(json.dumps({"time": _now(), "event": event, "text": text}), flush=True)


def _load(path: str, options: argparse.Namespace, status: Status) -> None:
    if path in status.value["finished"]:
        return
    _wait_for(path, options, status)
    for _ in range(options.passes):
        loaded = 0
        for batch in _batches(path, status.value["after"], options.batch):
            loaded += _load_batch(path, batch, options, status)
        status.save(after=[])
        # Another pass finds files that FSx listed meanwhile.
        if loaded == 0:
            break
    status.save(finished=[*status.value["finished"], path])


def _wait_for(path: str, options: argparse.Namespace, status: Status) -> None:
    """Wait for the folder: FSx lists a bucket's objects after it created the file system."""
    until = time.monotonic() + options.wait_seconds
    while not Path(path).is_dir():
        if time.monotonic() >= until:
            raise Stopped(f"{path} does not exist; check that the bucket has objects below it")
        status.tell("waiting", f"{path} does not exist yet")
        time.sleep(options.poll_seconds)


def _batches(path: str, after: Sequence[str], size: int) -> Iterator[list[tuple[str, ...]]]:
    batch: list[tuple[str, ...]] = []
    weight = 0
    for parts in files.walk(path, after):
        length = len(path) + sum(len(part) + 1 for part in parts)
        # Characters may have four bytes.
        if len(batch) == size or weight + 4 * length > _ARGUMENT_BYTES:
            yield batch
            batch, weight = [], 0
        batch.append(parts)
        weight += 4 * length
    if batch:
        yield batch


def _load_batch(
    path: str, batch: list[tuple[str, ...]], options: argparse.Namespace, status: Status
) -> int:
    """Request a batch; return the number of requested files."""
    names = ["/".join((path, *parts)) for parts in batch]
    wanted = lustre.released(names)
    sizes = {name: size for name in wanted for size in [_size(name)] if size is not None}
    if sizes:
        _refuse_to_fill(options.mount, sum(sizes.values()))
        lustre.restore(sorted(sizes))
        left = _wait_until_loaded(sorted(sizes), options)
        value = status.value
        status.value["files_loaded"] = value["files_loaded"] + len(sizes) - len(left)
        status.value["files_not_loaded"] = value["files_not_loaded"] + len(left)
        there = sum(size for name, size in sizes.items() if name not in left)
        status.value["bytes_loaded"] = value["bytes_loaded"] + there
    status.save(
        state="loading",
        reason=None,
        after=list(batch[-1]),
        files_seen=status.value["files_seen"] + len(batch),
    )
    text = "{files_seen} files seen, {files_loaded} loaded ({bytes_loaded} bytes)"
    status.tell("progress", (path + ": " + text).format(**status.value))
    return len(sizes)


def _wait_until_loaded(names: list[str], options: argparse.Namespace) -> set[str]:
    """Wait until all are loaded, or none for a while. Return those that are not."""
    left = set(names)
    quiet_since = time.monotonic()
    while left:
        now = set(lustre.released(sorted(left)))
        if len(now) < len(left):
            quiet_since = time.monotonic()
        left = now
        if left and time.monotonic() - quiet_since >= options.stall_seconds:
            break
        if left:
            time.sleep(options.poll_seconds)
    return left


def _size(name: str) -> int | None:
    try:
        return os.lstat(name).st_size
    except OSError:
        return None


def _refuse_to_fill(mount: str, needed_bytes: int) -> None:
    found = os.statvfs(mount)
    free_bytes = found.f_bavail * found.f_frsize
    if needed_bytes > free_bytes:
        raise Stopped(
            f"{mount} has {free_bytes} bytes free, the next files have {needed_bytes}: enlarge"
            " storage.lustre[].capacity_gib, or preload less"
        )


def _now() -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="clusterwright_preload", allow_abbrev=False)
    parser.add_argument("--mount", required=True, help="mount path of the file system")
    parser.add_argument("--path", action="append", required=True, help="a folder in it")
    parser.add_argument("--status", required=True, help="file for the progress")
    parser.add_argument("--batch", type=int, default=1000, help="files requested at once")
    parser.add_argument("--passes", type=int, default=3)
    parser.add_argument("--poll-seconds", type=float, default=10.0)
    parser.add_argument("--stall-seconds", type=float, default=900.0)
    parser.add_argument("--wait-seconds", type=float, default=3600.0)
    return parser
