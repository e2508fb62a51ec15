"""The files of `accept --report`: JSON, JUnit and text, as elsewhere; HTML is not written here."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from clusterwright_state.commands.junit import junit
from clusterwright_state.commands.setting import Stop
from clusterwright_state.commands.text import text


def json_text(answer: dict[str, Any]) -> str:
    """The answer as `--format json` has it."""
    return json.dumps(answer, indent=2) + "\n"


_WRITERS = {".json": json_text, ".xml": junit, ".txt": text}


def check(paths: Sequence[str]) -> None:
    """Refuse what cannot be written, before a run. Raises Stop."""
    for path in paths:
        target = Path(path)
        if target.suffix == ".html":
            raise Stop(
                f"--report {path}: HTML is not written on a node",
                "from a workstation, with the run's id: "
                "clusterwright accept FILE --run ID --report report.html",
            )
        if target.suffix not in _WRITERS:
            raise Stop(f"--report {path}: the form is unknown", f"use {', '.join(_WRITERS)}")
        if not target.is_absolute():
            # The entry leaves the folder of the call, from which Python would import.
            raise Stop(f"--report {path}: the path is relative", f'--report "$PWD/{path}"')
        if not target.parent.is_dir():
            raise Stop(f"--report {path}: {target.parent} is not a folder", "create it first")
        if target.is_dir() and not target.is_symlink():
            raise Stop(
                f"--report {path}: it is a folder", f"--report {path}/report{target.suffix}"
            )
        try:
            number, fresh = _temporary(target)
        except OSError as error:
            raise Stop(f"--report {path}: {error.strerror}", "use another path") from None
        os.close(number)
        Path(fresh).unlink(missing_ok=True)


def write(answer: dict[str, Any], path: str) -> None:
    """Replace the file. Raises OSError."""
    target = Path(path)
    number, fresh = _temporary(target)
    try:
        # Slurm's reasons may have bytes that are no UTF-8.
        with os.fdopen(number, "w", encoding="utf-8", errors="backslashreplace") as file:
            file.write(_WRITERS[target.suffix](answer))
            # Not by the name: the owner of the folder may have replaced the file by a link.
            os.fchmod(file.fileno(), 0o644)
        Path(fresh).replace(target)
    except BaseException:
        Path(fresh).unlink(missing_ok=True)
        raise


def _temporary(target: Path) -> tuple[int, str]:
    """Descriptor and path of a new file beside the target. Raises OSError."""
    # Not through a link or a name that another user has placed in the folder: root calls.
    return tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
