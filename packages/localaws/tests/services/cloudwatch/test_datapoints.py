"""Tests of services.cloudwatch.datapoints."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from types import SimpleNamespace

import pytest

from clusterwright_localaws.core.errors import AwsError
from clusterwright_localaws.services.cloudwatch.datapoints import (
    has_statistic,
    period_of,
    rounded_down,
    statistic,
)

NOON = datetime(2026, 11, 29, 12, tzinfo=UTC)
VALUES = [SimpleNamespace(value=value) for value in (1, 3)]
AGGREGATED = [SimpleNamespace(sample_count=4, sum=20, min=2, max=9)]


@pytest.mark.parametrize(
    ("name", "expected"),
    [("SampleCount", 6), ("Sum", 24), ("Average", 4), ("Minimum", 1), ("Maximum", 9)],
)
def test_values_and_sets_of_statistics_count_together(name: str, expected: float) -> None:
    assert statistic([*VALUES, *AGGREGATED], name) == expected


def test_percentiles_are_of_values_only() -> None:
    assert statistic(VALUES, "p50") == 2
    assert has_statistic(VALUES, "p99")
    assert not has_statistic(AGGREGATED, "p99")
    with pytest.raises(AwsError, match="TM"):
        statistic(VALUES, "TM(1%:2%)")


def test_periods_begin_at_whole_minutes() -> None:
    start = NOON + timedelta(seconds=42)
    assert rounded_down(start, 300) == NOON
    assert rounded_down(start, 10) == NOON + timedelta(seconds=40)
    end = NOON + timedelta(minutes=10)
    assert period_of(NOON + timedelta(minutes=7), start, end, 300) == NOON + timedelta(minutes=5)
    assert period_of(NOON - timedelta(hours=1), start, end, 300) == NOON
    assert period_of(end + timedelta(hours=1), start, end, 300) == NOON + timedelta(minutes=5)
