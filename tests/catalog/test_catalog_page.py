"""The catalogue page agrees with the data."""

from __future__ import annotations

from clusterwright.catalog import catalog_page, load_catalog, report


def test_page_has_every_data_set_and_source() -> None:
    catalog = load_catalog()
    text = catalog_page.page(catalog)
    for data_set in {name for name, _ in report.all_facts(catalog)}:
        assert f"| {data_set} |" in text
    for title, _ in catalog.store.document("sources")["sources"].values():
        assert title in text
