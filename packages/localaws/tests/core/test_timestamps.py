"""Tests of core.timestamps."""

from __future__ import annotations

from datetime import UTC, datetime

from clusterwright_localaws.core.timestamps import with_milliseconds


def test_milliseconds_are_cut_off() -> None:
    moment = datetime(2026, 11, 1, 10, 2, 3, 9_999, UTC)
    assert with_milliseconds(moment) == "2026-11-01T10:02:03.009Z"
    assert with_milliseconds(moment, "+0000") == "2026-11-01T10:02:03.009+0000"
