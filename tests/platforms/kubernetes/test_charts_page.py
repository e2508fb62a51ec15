"""The reference page of charts."""

from __future__ import annotations

from clusterwright.platforms.kubernetes import charts_page


def test_page_counts_unread_archives() -> None:
    assert "the digest of 6 is unknown" in " ".join(charts_page.page().split())
