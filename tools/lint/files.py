"""The files of this repository: tracked by git, or new and not ignored."""

from __future__ import annotations

import functools
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


@functools.cache
def repository_files() -> tuple[Path, ...]:
    """Absolute paths, sorted; files deleted but not yet committed are left out."""
    listing = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        check=True,
        text=True,
    ).stdout
    paths = (ROOT / name for name in sorted(set(listing.split("\0"))) if name)
    return tuple(path for path in paths if path.is_file() and not path.is_symlink())


def shell_files() -> list[Path]:
    """Every shell script, found by its name or its first line."""
    return [path for path in repository_files() if path.suffix in {".sh", ".bash"} or _sh(path)]


def _sh(path: Path) -> bool:
    if path.suffix:
        return False
    with path.open("rb") as handle:
        first = handle.readline(80)
    return first.startswith(b"#!") and first.rstrip().endswith((b"sh", b"bash"))
