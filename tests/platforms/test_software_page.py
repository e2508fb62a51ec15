"""The reference page of software versions."""

from __future__ import annotations

from clusterwright.platforms import software, software_page


def test_page_has_every_row_with_its_source() -> None:
    page = software_page.page()
    rows = [row for pair in software.model()["pairs"] for row in pair["rows"]]
    assert page.count("\n| ") >= len(rows)
    for row in rows:
        assert f"{row['source']}, {row['date']} |" in page
    assert f"{len(rows)} rows for {len(software.model()['pairs'])} pairs" in page


def test_pairs_without_a_source_are_listed() -> None:
    _, _, unknown = software_page.page().partition("## Pairs without a source")
    assert "- Slurm and munge\n" in unknown
    assert "Neuron driver" not in unknown


def test_ranges_with_alternatives_do_not_break_the_table() -> None:
    assert "`p6-b200*\\|p6e-gb200*`" in software_page.page()
