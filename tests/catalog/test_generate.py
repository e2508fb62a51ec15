"""The generator of the data files."""

from __future__ import annotations

from pathlib import Path

import pytest

from clusterwright.catalog import generate, writer


def test_committed_files_are_current(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert generate.main(["--check"]) == 0, capsys.readouterr().err


def test_check_names_different_missing_and_extra_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    made = generate.documents()
    for name, content in made.items():
        if name != "limits":
            (tmp_path / f"{name}.json").write_text(writer.text(name, content), encoding="utf-8")
    changed = (tmp_path / "quotas.json").read_text(encoding="utf-8").replace("L-8762A75F", "L-X")
    (tmp_path / "quotas.json").write_text(changed, encoding="utf-8")
    (tmp_path / "extra.json").write_text("{}", encoding="utf-8")
    monkeypatch.setattr(generate, "DATA", tmp_path)
    monkeypatch.setattr(generate, "documents", lambda: made)
    assert generate.main(["--check"]) == 1
    said = capsys.readouterr().err.split("\n")
    assert sorted(filter(None, said)) == [
        "differs: extra.json",
        "differs: limits.json",
        "differs: quotas.json",
    ]
    assert generate.main([]) == 0
    assert not (tmp_path / "extra.json").exists()
    assert generate.main(["--check"]) == 0
