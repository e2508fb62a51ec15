"""The base of a comparison: the tree of a commit, written to another folder.

The repository is not changed: no branch, no index, no worktree.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

_INHERITED = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_COMMON_DIR")
"""Set by git for hooks; they would select another repository than that of the spec."""


class BaseNotFound(Exception):
    """The base cannot be read; `hint` is how to correct it."""

    def __init__(self, message: str, hint: str) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


@dataclass(frozen=True)
class Commit:
    """A commit of the repository that holds the spec."""

    root: Path
    ref: str
    digest: str

    @property
    def shown(self) -> str:
        """Display name, such as `origin/main (3f2a91c)`."""
        short = self.digest[:7]
        return self.ref if self.ref == self.digest else f"{self.ref} ({short})"


def repository_of(path: Path) -> Path:
    """The top of the git repository that a file is in.

    Raises
    ------
    BaseNotFound
        The file is in no repository, or git is missing.
    """
    folder = path.resolve().parent
    if not folder.is_dir():
        raise BaseNotFound(f"{path.parent} does not exist", "name a file of a git repository")
    found = _git(folder, ["rev-parse", "--show-toplevel"], check=False)
    if found.returncode != 0:
        raise BaseNotFound(
            f"{path} is not in a git repository: {_last_line(found.stderr)}",
            "run it in a clone, or give a spec file to compare with: --base FILE",
        )
    return Path(found.stdout.strip())


def commit_of(root: Path, ref: str) -> Commit:
    """The commit of a name.

    Raises
    ------
    BaseNotFound
        The repository has no such commit.
    """
    words = ["rev-parse", "--verify", "--quiet", "--end-of-options", f"{ref}^{{commit}}"]
    found = _git(root, words, check=False)
    digest = found.stdout.strip()
    if found.returncode != 0 or not digest:
        raise BaseNotFound(
            f"--base: {root.name} has no commit {ref!r}",
            "fetch it first: `git fetch origin main`; in CI, check out with the whole history",
        )
    return Commit(root, ref, digest)


def write_tree(commit: Commit, folder: Path) -> None:
    """Write every file of a commit under `folder`.

    Raises
    ------
    BaseNotFound
        git failed.
    """
    folder.mkdir(parents=True, exist_ok=True)
    index = folder.parent / f"{folder.name}.index"
    environment = {"GIT_INDEX_FILE": os.fspath(index)}
    try:
        _git(commit.root, ["read-tree", commit.digest], environment=environment)
        words = ["checkout-index", "--all", "--quiet", f"--prefix={folder}/"]
        _git(commit.root, words, environment=environment)
    finally:
        index.unlink(missing_ok=True)


def tracked_files(root: Path) -> list[str]:
    """Existing files of a checkout that git does not ignore, committed or not."""
    words = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    found = _git(root, words)
    return sorted({name for name in found.stdout.split("\0") if name})


def _git(
    folder: Path,
    words: Sequence[str],
    *,
    check: bool = True,
    environment: dict[str, str] | None = None,
) -> subprocess.CompletedProcess[str]:
    program = shutil.which("git")
    if program is None:
        raise BaseNotFound("--base needs git, which is not installed", "install git")
    inherited = {k: v for k, v in os.environ.items() if k not in _INHERITED}
    done = subprocess.run(
        # The user trusts the repository of the spec, also in a CI container.
        [program, "-c", "safe.directory=*", "-C", os.fspath(folder), *words],
        env=inherited | {"LC_ALL": "C", "GIT_OPTIONAL_LOCKS": "0"} | (environment or {}),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="surrogateescape",
        check=False,
    )
    if check and done.returncode != 0:
        raise BaseNotFound(
            f"git {words[0]} failed: {_last_line(done.stderr)}", "see the message of git"
        )
    return done


def _last_line(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1].removeprefix("fatal: ") if lines else "no message"
