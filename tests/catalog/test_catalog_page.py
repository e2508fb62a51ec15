"""The catalogue page agrees with the data."""

from __future__ import annotations

from pathlib import Path

import pytest

from clusterwright.catalog import catalog_page, load_catalog, report


def test_the_committed_page_is_what_the_script_writes(capsys: pytest.CaptureFixture[str]) -> None:
    assert catalog_page.main(["--check"]) == 0, capsys.readouterr().err


def test_a_page_of_other_counts_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(catalog_page, "PAGE", tmp_path / "catalog.md")
    assert catalog_page.main(["--check"]) == 1
    assert catalog_page.main([]) == 0
    assert catalog_page.main(["--check"]) == 0
    text = catalog_page.PAGE.read_text(encoding="utf-8")
    catalog_page.PAGE.write_text(text.replace("| quota codes |", "| quotas |"), encoding="utf-8")
    assert catalog_page.main(["--check"]) == 1


def test_every_data_set_and_every_source_is_on_the_page() -> None:
    catalog = load_catalog()
    text = catalog_page.page(catalog)
    for data_set in {name for name, _ in report.all_facts(catalog)}:
        assert f"| {data_set} |" in text
    for title, _ in catalog.store.document("sources")["sources"].values():
        assert title in text
