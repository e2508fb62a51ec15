"""Dates of sources."""

from __future__ import annotations

import datetime as dt

import pytest

from clusterwright.catalog.dates import as_of, is_stale


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("2026-10-27", dt.date(2026, 10, 27)),
        ("2026-10-08/09", dt.date(2026, 10, 8)),
        ("2026-06-19/23", dt.date(2026, 6, 19)),
        ("2026-09..11", dt.date(2026, 9, 1)),
        ("2026-09", dt.date(2026, 9, 1)),
        ("2026", dt.date(2026, 1, 1)),
        ("2025-2026", dt.date(2025, 1, 1)),
        ("undated; between 2025-11-18 and 2026-05", dt.date(2025, 11, 18)),
        ("undated", None),
        ("before 2026-01", None),
    ],
)
def test_earliest_date_of_a_partial_date(text: str, day: dt.date | None) -> None:
    assert as_of(text) == day


def test_values_older_than_90_days_or_undated_are_stale() -> None:
    today = dt.date(2026, 11, 20)
    assert not is_stale("2026-08-22", today)
    assert is_stale("2026-08-21", today)
    assert is_stale("undated", today)
