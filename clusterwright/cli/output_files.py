"""Atomic writing of output files, which overwrites only with --force."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable
from pathlib import Path

from clusterwright.cli.errors import UserError


def check_writable(paths: Iterable[Path], force: bool) -> None:
    """Check before any work that the files can be written.

    Raises
    ------
    UserError
        A folder is missing, a path is a folder, or a file exists and `force` is not given.
    """
    for path in paths:
        if path.is_dir():
            raise UserError(f"{path} is a directory", f"name a file: {path}/dev.yaml")
        if not path.parent.is_dir():
            raise UserError(f"{path.parent} does not exist", f"mkdir -p {path.parent}")
        if os.path.lexists(path) and not force:
            raise _exists(path)


def write_atomically(path: Path, text: str, force: bool) -> None:
    """Write a text atomically.

    Raises
    ------
    UserError
        The file exists, and `force` is not given.
    """
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    draft = Path(name)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        move_into_place(draft, path, force)
    finally:
        draft.unlink(missing_ok=True)


def move_into_place(draft: Path, path: Path, force: bool) -> None:
    """Rename a draft in the same folder, with the permissions of a new file.

    Raises
    ------
    UserError
        The file exists, and `force` is not given.
    """
    umask = os.umask(0)
    os.umask(umask)
    draft.chmod(0o666 & ~umask)
    if force:
        draft.replace(path)
        return
    try:
        os.link(draft, path)
    except FileExistsError:
        raise _exists(path) from None


def schema_path_from(folder: Path) -> str | None:
    """Relative path of the spec's JSON Schema from `folder`; None outside a checkout."""
    for up, parent in enumerate(folder.resolve().parents, start=1):
        if (parent / "schema" / "cluster.schema.json").is_file():
            return "../" * up + "schema/cluster.schema.json"
    return None


def _exists(path: Path) -> UserError:
    return UserError(f"{path} exists and is not overwritten", "name another file, or use --force")
