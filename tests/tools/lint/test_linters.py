"""The linters and their commands."""

from __future__ import annotations

from tools.lint.files import ROOT, shell_files
from tools.lint.linters import Linter, linters


def test_names_are_unique_and_quick_ones_first() -> None:
    names = [linter.name for linter in linters()]
    assert len(set(names)) == len(names)
    assert names[0] == "ruff check"
    assert names[-1] == "mypy"


def test_every_shell_file_is_checked() -> None:
    files = {str(path.relative_to(ROOT)) for path in shell_files()}
    for linter in linters():
        if linter.name in ("shellcheck", "shfmt"):
            assert files <= set(linter.command)


def test_only_a_linter_with_a_fix_fixes() -> None:
    shows = Linter("python", ("python", "-c", "print('checked')"))
    assert shows.run(fix=True).stdout == "checked\n"
    fixes = Linter("python", shows.command, ("python", "-c", "print('fixed')"))
    assert fixes.run(fix=True).stdout == "fixed\n"
    assert fixes.run().stdout == "checked\n"


def test_findings_are_the_exit_code() -> None:
    done = Linter("python", ("python", "-c", "import sys; sys.exit('finding')")).run()
    assert (done.returncode, done.stdout) == (1, "finding\n")
