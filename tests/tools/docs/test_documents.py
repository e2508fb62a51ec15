"""The generated documents are current, and a stale one is found."""

from __future__ import annotations

import dataclasses
import subprocess
import sys
from pathlib import Path

import pytest

from tools.docs import __main__ as command
from tools.docs import documents

SPEC = next(document for document in documents.documents() if document.name == "spec")


def test_every_document_is_current() -> None:
    """In a separate process, because tests change the state of the local AWS."""
    done = subprocess.run(
        [sys.executable, "-m", "tools.docs", "--check"],
        capture_output=True,
        text=True,
        check=False,
        cwd=documents.ROOT,
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_stale_document_is_found_and_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    document = dataclasses.replace(SPEC, path=str(tmp_path / "reference" / "spec.md"))
    monkeypatch.setattr(command, "documents", lambda: iter([document]))
    assert command.main(["--check"]) == 1
    assert "run `python -m tools.docs spec`" in capsys.readouterr().err
    assert command.main([]) == 0
    assert command.main(["--check", "spec"]) == 0
    document.file.write_text(document.text().replace("| `count` |", "| `amount` |"))
    assert command.main(["--check"]) == 1


def test_an_unknown_document_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        command.main(["pages"])
    assert "there is no document pages" in capsys.readouterr().err
