"""The reference page says what the data say."""

from __future__ import annotations

from pathlib import Path

import pytest

from clusterwright.catalog import load_catalog, reference, report


def test_the_committed_page_is_what_the_script_writes(capsys: pytest.CaptureFixture[str]) -> None:
    assert reference.main(["--check"]) == 0, capsys.readouterr().err


def test_a_page_of_other_counts_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(reference, "PAGE", tmp_path / "catalog.md")
    assert reference.main(["--check"]) == 1
    assert reference.main([]) == 0
    assert reference.main(["--check"]) == 0
    text = reference.PAGE.read_text(encoding="utf-8")
    reference.PAGE.write_text(text.replace("| quota codes |", "| quotas |"), encoding="utf-8")
    assert reference.main(["--check"]) == 1


def test_every_data_set_and_every_source_is_on_the_page() -> None:
    catalog = load_catalog()
    text = reference.page(catalog)
    for data_set in {name for name, _ in report.all_facts(catalog)}:
        assert f"| {data_set} |" in text
    for title, _ in catalog.store.document("sources")["sources"].values():
        assert title in text
