"""Copy the finished checkpoints of a run on this node to shared storage."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from clusterwright_checkpoints import files, names
from clusterwright_checkpoints.files import Unsuitable

_REMOVED = ".removed"

Tell = Callable[[str, str, str], None]
"""Called with an event (`copied`, `whole`, `removed`, `refused`), a step, and a text."""


@dataclass(frozen=True)
class Settings:
    """`keep_local` and `keep_shared`: the number of newest complete checkpoints to keep; None for
    all.
    """

    node: str
    keep_local: int | None = 1
    keep_shared: int | None = None


def drain_run(local: Path, shared: Path, settings: Settings, tell: Tell) -> int:
    """Copy the finished checkpoints of a run; return how many could not be copied.

    Parameters
    ----------
    local, shared:
        The folders of the run: `<local>/<run>` and `<shared>/<run>`.
    """
    failed = 0
    for step in finished(local):
        try:
            _drain(local / step, shared, settings, tell)
        except (Unsuitable, OSError, ValueError) as error:
            failed += 1
            tell("refused", step, str(error))
    _complete(shared, tell)
    _point_to_newest(shared, settings.node)
    _forget(local, shared, settings, tell)
    return failed


def finished(local: Path) -> list[str]:
    """The checkpoints of a run that its writers on this node have finished, oldest first."""
    return sorted(
        (
            entry.name
            for entry in os.scandir(local)
            if entry.is_dir(follow_symlinks=False)
            and names.is_step(entry.name)
            and (Path(entry.path) / names.COMPLETE).is_file()
        ),
        key=names.order,
    )


def whole(shared: Path) -> list[str]:
    """The checkpoints of a run that are complete on shared storage, oldest first."""
    if not shared.is_dir():
        return []
    return sorted(
        (
            entry.name
            for entry in os.scandir(shared)
            if entry.is_dir(follow_symlinks=False)
            and names.is_step(entry.name)
            and (Path(entry.path) / names.MANIFEST).is_file()
        ),
        key=names.order,
    )


def _drain(local: Path, shared: Path, settings: Settings, tell: Tell) -> None:
    step = local.name
    if (shared / step / names.MANIFEST).is_file():
        return
    nodes, attempt = _writers(local)
    partial = shared / names.partial(step, attempt)
    manifest = partial / names.node_manifest(settings.node)
    if manifest.is_file():
        return
    partial.mkdir(parents=True, exist_ok=True)
    found = []
    for path in files.regular_files(local):
        relative = path.relative_to(local).as_posix()
        if relative == names.COMPLETE:
            continue
        if relative == names.MANIFEST or names.is_node_manifest(relative):
            raise Unsuitable(f"{path} has a name that is used for manifests")
        found.append({"path": relative, **files.copy(path, partial / relative)})
    if not found:
        raise Unsuitable("it is marked as complete but has no files")
    files.sync_folder(partial)
    files.write_json(manifest, {"node": settings.node, "nodes": nodes, "files": found})
    tell("copied", step, f"{len(found)} files, {sum(int(str(f['size'])) for f in found)} bytes")


def _writers(local: Path) -> tuple[int, str]:
    """The number of nodes that write the checkpoint, and the attempt."""
    text = (local / names.COMPLETE).read_text(encoding="utf-8")
    words = text.split()
    nodes, attempt = (*words, "0")[:2] if words else ("1", "0")
    if len(words) > 2 or not nodes.isdigit() or int(nodes) < 1 or not names.is_attempt(attempt):
        raise Unsuitable(
            f"{names.COMPLETE} contains {text[:40]!r}, expected a number of nodes and an attempt"
        )
    return int(nodes), attempt


def _complete(shared: Path, tell: Tell) -> None:
    """Complete every checkpoint of which all nodes have copied their files."""
    if not shared.is_dir():
        return
    for entry in sorted(os.scandir(shared), key=lambda found: found.name):
        step = names.step_of_partial(entry.name)
        if step is None or not entry.is_dir(follow_symlinks=False):
            continue
        partial = Path(entry.path)
        if (shared / step / names.MANIFEST).is_file():
            _remove(partial, tell)  # another attempt at the same step is complete
            continue
        try:
            parts = [
                json.loads(path.read_text(encoding="utf-8"))
                for path in sorted(partial.iterdir())
                if names.is_node_manifest(path.name)
            ]
            if not parts or len(parts) < max(int(part["nodes"]) for part in parts):
                continue
            if len({part["nodes"] for part in parts}) > 1:
                tell("refused", step, "its nodes report different numbers of nodes")
                continue
            contents = sorted(
                (file for part in parts for file in part["files"]), key=lambda file: file["path"]
            )
            files.write_json(
                partial / names.MANIFEST,
                {"step": step, "nodes": [part["node"] for part in parts], "files": contents},
            )
            for left in partial.rglob(".*.tmp"):  # left by interrupted copies
                left.unlink(missing_ok=True)
            partial.rename(shared / step)
            files.sync_folder(shared)
            tell("whole", step, f"{len(contents)} files from {len(parts)} nodes")
        except FileNotFoundError:
            continue  # another node has completed it
        except (OSError, ValueError, KeyError, TypeError) as error:
            tell("refused", step, f"{type(error).__name__}: {error}")


def _point_to_newest(shared: Path, node: str) -> None:
    found = whole(shared)
    link = shared / names.LATEST
    if not found:
        return
    files.half_made(link, node).unlink(missing_ok=True)
    now = str(link.readlink()) if link.is_symlink() else ""
    if now != found[-1] and (now not in found or names.order(now) < names.order(found[-1])):
        files.point(link, found[-1], node)


def _forget(local: Path, shared: Path, settings: Settings, tell: Tell) -> None:
    for folder in (local, shared):
        for left in folder.glob(f".*{_REMOVED}"):  # left by a run that was killed
            shutil.rmtree(left, ignore_errors=True)
    safe = whole(shared)
    if settings.keep_local is not None:
        drained = [step for step in finished(local) if step in safe]
        for step in drained[: max(0, len(drained) - settings.keep_local)]:
            _remove(local / step, tell)
    if settings.keep_shared is not None:
        for step in safe[: max(0, len(safe) - max(1, settings.keep_shared))]:
            _remove(shared / step, tell)


def _remove(folder: Path, tell: Tell) -> None:
    """Rename it first: a partly removed checkpoint must not look complete."""
    gone = folder.with_name(f".{folder.name}.{os.getpid()}{_REMOVED}")
    try:
        folder.rename(gone)
    except FileNotFoundError:
        return
    shutil.rmtree(gone, ignore_errors=True)
    tell("removed", folder.name, str(folder.parent))
