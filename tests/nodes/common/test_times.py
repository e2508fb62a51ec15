"""Times of records, as texts and as seconds."""

from __future__ import annotations

import pytest
from clusterwright_common import times


def test_a_time_is_read_as_it_was_written() -> None:
    assert times.stamp(1_795_420_800.0) == "2026-11-23T08:00:00Z"
    assert times.seconds_of("2026-11-23T08:00:00Z") == 1_795_420_800.0


@pytest.mark.parametrize("text", [None, "", "Unknown", "2026-11-23", "2026-13-23T08:00:00Z"])
def test_anything_else_is_no_time(text: str | None) -> None:
    assert times.seconds_of(text) is None
