"""The page that compares the platforms agrees with the data."""

from __future__ import annotations

from clusterwright.catalog import load_catalog
from clusterwright.platforms import platforms_page
from clusterwright.platforms.capabilities import ALL, LIMITATIONS
from clusterwright.platforms.misconceptions import MISCONCEPTIONS
from clusterwright.platforms.registry import PLATFORMS, part_of


def test_page_has_every_row_misconception_and_limitation() -> None:
    page = platforms_page.page(load_catalog())
    for row in ALL:
        assert f"| {row.title} |" in page
    for item in MISCONCEPTIONS:
        assert item.claim in page
    for texts in (LIMITATIONS, *(part_of(p, "capabilities").LIMITATIONS for p in PLATFORMS)):
        assert all(text in page for text in texts)
    assert "| `p6e-gb200.36xlarge` | yes | yes | yes | unknown | yes | no |" in page
    assert "| `inf2.48xlarge` | no | no | yes | yes |" in page
