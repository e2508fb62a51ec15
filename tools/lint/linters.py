"""The linters and their command lines."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from tools.lint.files import ROOT, shell_files

_BIN = Path(sys.executable).parent
_SHFMT = ("--indent=2", "--case-indent")


@dataclass(frozen=True)
class Linter:
    """A linter's name, its command, and the command that fixes its findings (or None)."""

    name: str
    command: tuple[str, ...]
    fix: tuple[str, ...] | None = None

    def run(self, *, fix: bool = False) -> subprocess.CompletedProcess[str]:
        """Run it in the repository's root and return what it printed and its exit code."""
        words = self.fix if fix and self.fix else self.command
        return subprocess.run(
            [os.fspath(_BIN / words[0]), *words[1:]],
            cwd=ROOT,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )


def linters() -> tuple[Linter, ...]:
    """All of them, the quick ones first."""
    shell = tuple(os.fspath(path.relative_to(ROOT)) for path in shell_files())
    return (
        Linter(
            "ruff check",
            ("ruff", "check", "--quiet", "--output-format=concise"),
            ("ruff", "check", "--quiet", "--output-format=concise", "--fix"),
        ),
        Linter("ruff format", ("ruff", "format", "--check"), ("ruff", "format", "--quiet")),
        Linter("shellcheck", ("shellcheck", "--severity=style", *shell)),
        Linter(
            "shfmt",
            ("shfmt", *_SHFMT, "--diff", *shell),
            ("shfmt", *_SHFMT, "--write", *shell),
        ),
        Linter("import-linter", ("lint-imports", "--no-cache")),
        Linter("mypy", ("mypy", "--no-error-summary")),
    )
