"""Query and restore files whose content is in S3, with `lfs`."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence

_TIMEOUT_SECONDS = 300


class LustreError(Exception):
    """lfs failed."""


def released(paths: Sequence[str]) -> list[str]:
    """Those of `paths` whose content is not on the file system, without removed ones.

    A line is `PATH: (0x0000000d) released exists archived, archive_id:1`; without flags
    `PATH: (0x00000000)`.
    """
    text = _lfs("hsm_state", paths)
    found = []
    for path in paths:
        start = f"{path}: (0x"
        if not text.startswith(start):
            # An error line about this one went to stderr.
            continue
        line, _, text = text[len(start) :].partition("\n")
        if "released" in line.partition(")")[2].replace(",", " ").split():
            found.append(path)
    return found


def restore(paths: Sequence[str]) -> None:
    """Request the content; return before it is loaded."""
    _lfs("hsm_restore", paths)


def _lfs(command: str, paths: Sequence[str]) -> str:
    try:
        done = subprocess.run(
            ["lfs", command, *paths],
            capture_output=True,
            text=True,
            errors="surrogateescape",
            timeout=_TIMEOUT_SECONDS,
            check=False,
        )
    except FileNotFoundError:
        raise LustreError("the image has no lfs") from None
    except subprocess.TimeoutExpired:
        raise LustreError(f"lfs {command} did not respond within {_TIMEOUT_SECONDS} s") from None
    if done.returncode != 0 and not done.stdout and command == "hsm_state":
        raise LustreError(f"lfs {command}: {_last_line(done.stderr)}")
    if done.returncode != 0 and command == "hsm_restore":
        raise LustreError(f"lfs {command}: {_last_line(done.stderr)}")
    return done.stdout


def _last_line(text: str) -> str:
    lines = text.strip().splitlines()
    return lines[-1] if lines else "no reason given"
