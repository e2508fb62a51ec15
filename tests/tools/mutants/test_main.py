"""Mutants change one place each, and a survivor fails the run."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools.lint.files import ROOT
from tools.mutants import __main__ as module
from tools.mutants.__main__ import Mutant, main, mutants


@pytest.mark.parametrize("mutant", mutants(), ids=str)
def test_a_mutant_has_one_place_and_its_tests_exist(mutant: Mutant) -> None:
    text = (ROOT / mutant.file).read_text()
    assert text.count(mutant.old) == 1
    assert mutant.new != mutant.old
    assert (ROOT / mutant.tests).is_file()


def test_a_changed_file_is_reported(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("x = 1\nx = 1\n")
    with pytest.raises(ValueError, match="has 'x = 1' 2 times, not once"):
        Mutant("a.py", "x = 1", "x = 2", "t.py").apply(tmp_path)


@pytest.mark.parametrize(
    ("pytest_code", "exit_code", "words"),
    [(1, 0, "caught: a.py"), (0, 1, "SURVIVED"), (5, 1, "pytest exited with 5")],
)
def test_exit_code_and_restored_file(
    pytest_code: int,
    exit_code: int,
    words: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    seen: list[str] = []

    def run(root: Path, tests: str) -> int:
        seen.append((root / "a.py").read_text())
        return pytest_code

    def copy(target: Path) -> None:
        (target / "a.py").write_text("x = 1\n")

    one = Mutant("a.py", "x = 1", "x = 2", "t.py")
    monkeypatch.setattr(module, "mutants", lambda: [one, one])
    monkeypatch.setattr(module, "_copy", copy)
    monkeypatch.setattr(module, "_pytest", run)
    assert main([]) == exit_code
    assert seen == ["x = 2\n"] * 2, "the file is restored after each"
    assert words in capsys.readouterr().out
