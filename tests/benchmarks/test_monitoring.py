"""What is measured of monitoring."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks import monitoring
from benchmarks.monitoring import monitoring_comparisons


def _by_words(folder: Path, words: str) -> monitoring.Comparison:
    (found,) = (one for one in monitoring_comparisons(folder) if words in one.name)
    return found


def test_series_of_a_scrape_are_within_the_upper_bound(tmp_path: Path) -> None:
    series = _by_words(tmp_path, "series")
    assert 0.9 < series.ours() / series.beside() <= 1.0


def test_size_is_that_of_the_whole_answer(tmp_path: Path) -> None:
    size = _by_words(tmp_path, "size")
    assert 100_000 < size.ours() < 300_000
    assert size.beside() < size.ours() / 5


def test_report_of_a_long_run_adds_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(monitoring, "DAYS", 2)
    monkeypatch.setattr(monitoring, "INTERRUPTIONS", 10)
    monitoring._run.cache_clear()
    monitoring._texts.cache_clear()
    try:
        # It raises unless the parts are the wall time, and every interruption is an attempt.
        assert _by_words(tmp_path, "goodput").ours() > 0
    finally:
        monitoring._run.cache_clear()
        monitoring._texts.cache_clear()
