"""The page that compares the platforms says what the data says."""

from __future__ import annotations

from pathlib import Path

import pytest

from clusterwright.catalog import load_catalog
from clusterwright.platforms import platforms_page as reference
from clusterwright.platforms.capabilities import ALL
from clusterwright.platforms.misconceptions import CORRECTIONS
from clusterwright.platforms.registry import PLATFORMS
from clusterwright.platforms.untried import UNTRIED


def test_the_committed_page_is_current() -> None:
    assert reference.main(["--check"]) == 0


def test_a_stale_page_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(reference, "PAGE", tmp_path / "platforms.md")
    assert reference.main(["--check"]) == 1
    assert "python -m clusterwright.platforms.platforms_page" in capsys.readouterr().err
    assert reference.main([]) == 0
    assert reference.main(["--check"]) == 0


def test_every_row_correction_and_untried_matter_is_on_it() -> None:
    page = reference.reference(load_catalog())
    for row in ALL:
        assert f"| {row.title} |" in page
    for one in CORRECTIONS:
        assert one.claim in page
    assert set(UNTRIED) == set(PLATFORMS)
    for texts in UNTRIED.values():
        assert all(text in page for text in texts)
    assert "| `p6e-gb200.36xlarge` | yes | yes | yes | unknown | no |" in page
    assert "| `inf2.48xlarge` | no | no | yes | yes |" in page
