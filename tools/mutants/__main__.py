"""`python -m tools.mutants [TEXT]`: run the tests of each mutant, in a copy of the repository.

Exits with 1 if the tests of a mutant pass, or do not run.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import yaml

from tools.lint.files import ROOT, repository_files

LIST = Path(__file__).with_name("mutants.yaml")
_PACKAGES = (".", "packages/localaws", "packages/rehearsal", "lifecycle_scripts")
_TESTS_FAILED = 1
"""pytest's exit code if tests ran and some failed; others mean that none ran."""


@dataclass(frozen=True)
class Mutant:
    """A change of one file, and the tests that must fail with it."""

    file: str
    old: str
    new: str
    tests: str

    def apply(self, root: Path) -> str:
        """Change the file below `root`; return its former text.

        Raises
        ------
        ValueError
            `old` does not occur exactly once.
        """
        path = root / self.file
        text = path.read_text(encoding="utf-8")
        if text.count(self.old) != 1:
            raise ValueError(
                f"{self.file} has {self.old!r} {text.count(self.old)} times, not once"
            )
        path.write_text(text.replace(self.old, self.new), encoding="utf-8")
        return text

    def __str__(self) -> str:
        return f"{self.file}: {self.old.strip()!r} -> {self.new!r}"


def mutants() -> list[Mutant]:
    """The mutants of the list."""
    return [Mutant(**row) for row in yaml.safe_load(LIST.read_text(encoding="utf-8"))]


def main(arguments: Sequence[str] | None = None) -> int:
    """Return 1 if a mutant survives its tests."""
    parser = argparse.ArgumentParser(prog="make mutants", description=__doc__)
    parser.add_argument("text", nargs="?", default="", help="only mutants whose file contains it")
    options = parser.parse_args(arguments)
    chosen = [mutant for mutant in mutants() if options.text in mutant.file]
    if not chosen:
        parser.error(f"no mutant's file contains {options.text!r}")
    survivors = 0
    with tempfile.TemporaryDirectory(prefix="clusterwright-mutants-") as name:
        copy = Path(name)
        _copy(copy)
        for mutant in chosen:
            before = mutant.apply(copy)
            code = _pytest(copy, mutant.tests)
            (copy / mutant.file).write_text(before, encoding="utf-8")
            caught = code == _TESTS_FAILED
            survivors += not caught
            verdict = "caught" if caught else f"SURVIVED (pytest exited with {code})"
            print(f"{verdict}: {mutant}", flush=True)
    print(f"{len(chosen)} mutants, {len(chosen) - survivors} caught, {survivors} survived")
    return 1 if survivors else 0


def _copy(target: Path) -> None:
    for file in repository_files():
        path = target / file.relative_to(ROOT)
        path.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(file, path)
    subprocess.run(["git", "init", "--quiet"], cwd=target, check=True)


def _pytest(root: Path, tests: str) -> int:
    """pytest's exit code in the copy, with its code first on the path."""
    path = os.pathsep.join(str(root / package) for package in _PACKAGES)
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", tests],
        cwd=root,
        env={**os.environ, "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        check=False,
    ).returncode


if __name__ == "__main__":
    sys.exit(main())
