"""A copy of the repository in which tools and tests run."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

from tools.lint.files import ROOT, repository_files


def copy_repository(folder: Path) -> None:
    """Copy the files of the repository to `folder`."""
    for path in repository_files():
        target = folder / path.relative_to(ROOT)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(path, target)


class RepositoryCopy:
    """The files of the repository in `folder`, which does not exist yet, as a git repository."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        copy_repository(folder)
        (folder / ".venv").symlink_to(ROOT / ".venv")
        # `tools.lint.files` lists what git tracks.
        self.run("git", "init", "--quiet")

    def run(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Run a command in the copy, with the packages of the copy."""
        path = [self.folder, *(self.folder / "packages" / n for n in ("localaws", "rehearsal"))]
        return subprocess.run(
            words,
            cwd=self.folder,
            env={
                **os.environ,
                "PYTHONPATH": os.pathsep.join(map(os.fspath, path)),
                "PYTHONDONTWRITEBYTECODE": "1",
            },
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )

    def edit(self, name: str, old: str, new: str) -> None:
        """Replace a text that a file has exactly once."""
        path = self.folder / name
        text = path.read_text(encoding="utf-8")
        assert text.count(old) == 1, f"{name} has {old!r} {text.count(old)} times"
        path.write_text(text.replace(old, new), encoding="utf-8")
