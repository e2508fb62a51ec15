"""Files that a command writes: whole or not at all, and in nobody's place without --force."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable
from pathlib import Path

from clusterwright.cli.errors import UserError


def ask_for_room(paths: Iterable[Path], force: bool) -> None:
    """Refuse before any work what could not be written after it.

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
            raise _taken(path)


def write_whole(path: Path, text: str, force: bool) -> None:
    """Write a text.

    Raises
    ------
    UserError
        The file exists by now, and `force` is not given.
    """
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    draft = Path(name)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        put_in_place(draft, path, force)
    finally:
        draft.unlink(missing_ok=True)


def put_in_place(draft: Path, path: Path, force: bool) -> None:
    """Give a finished draft of the same folder its name, with the rights that a new file has.

    Raises
    ------
    UserError
        The file exists by now, and `force` is not given.
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
        raise _taken(path) from None


def schema_from(folder: Path) -> str | None:
    """The spec's schema in the checkout that `folder` is in, from there; `None` outside one."""
    for up, parent in enumerate(folder.resolve().parents, start=1):
        if (parent / "schema" / "cluster.schema.json").is_file():
            return "../" * up + "schema/cluster.schema.json"
    return None


def _taken(path: Path) -> UserError:
    return UserError(
        f"{path} exists and is left as it is", "name another file, or --force to overwrite it"
    )
