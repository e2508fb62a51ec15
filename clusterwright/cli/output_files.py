"""Atomic writing of output files, which overwrites only with --force."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable
from pathlib import Path

from clusterwright import files
from clusterwright.cli.errors import UserError


def check_writable(paths: Iterable[Path], force: bool) -> None:
    """Check before any work that the files can be written.

    Raises
    ------
    UserError
        A folder is missing or not writable, a path is a folder or a device, or a file exists and
        `force` is not given.
    """
    for path in paths:
        try:
            _check(path, force)
        except OSError as error:
            raise cannot_write(path, error) from None


def _check(path: Path, force: bool) -> None:
    if path.is_dir():
        raise UserError(f"{path} is a directory", f"name a file: {path}/dev.yaml")
    if not path.parent.is_dir():
        raise UserError(f"{path.parent} does not exist", f"mkdir -p {path.parent}")
    if path.exists() and not path.is_file():
        raise UserError(f"{path} is not a regular file", "name another file")
    if os.path.lexists(path) and not force:
        raise _exists(path)
    try:
        tempfile.TemporaryFile(dir=path.parent).close()
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise UserError(
            f"{path.parent} is not writable: {reason}", "name a file in another folder"
        ) from None


def write_atomically(path: Path, text: str, force: bool) -> None:
    """Write a text atomically.

    Raises
    ------
    UserError
        The file exists, and `force` is not given; or it cannot be written.
    """
    try:
        files.write_atomically(path, text, overwrite=force)
    except FileExistsError:
        raise _exists(path) from None
    except OSError as error:
        raise cannot_write(path, error) from None


def make_folder(folder: Path) -> None:
    """Create a folder for output and its parents, unless it exists.

    Raises
    ------
    UserError
        It cannot be created.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise cannot_write(folder, error, "name another folder") from None


def cannot_write(path: Path, error: OSError, hint: str | None = None) -> UserError:
    """Return the error of a file that cannot be written."""
    reason = (error.strerror or str(error)).lower()
    return UserError(f"{path} cannot be written: {reason}", hint)


def schema_path_from(folder: Path) -> str | None:
    """Relative path of the spec's JSON Schema from `folder`; None outside a checkout."""
    for up, parent in enumerate(folder.resolve().parents, start=1):
        if (parent / "schema" / "cluster.schema.json").is_file():
            return "../" * up + "schema/cluster.schema.json"
    return None


def _exists(path: Path) -> UserError:
    return UserError(f"{path} exists and is not overwritten", "name another file, or use --force")
