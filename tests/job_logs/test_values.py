"""Numbers of log lines; what is no number, or none that can be, is unknown."""

from __future__ import annotations

import pytest

from clusterwright.job_logs.values import count, duration, number, positive, time_of_day


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1,638", 1638.0),
        ("7.4E+00", 7.4),
        ("-1e-3", -0.001),
        ("412.1/398.0", 412.1),
        ("N/A", None),
        ("nan", None),
        ("1e999", None),
        ("9" * 500, None),
        ("", None),
        (None, None),
    ],
)
def test_number(text: str | None, value: float | None) -> None:
    assert number(text) == value


def test_positive_and_count() -> None:
    assert (positive("0.0"), positive("-1"), positive("2")) == (None, None, 2.0)
    assert (count("1.5"), count("-1"), count("0"), count("1,024")) == (None, None, 0, 1024)


def test_times_and_durations_that_cannot_be() -> None:
    assert (time_of_day(-1.0), time_of_day(1e10), time_of_day(1.7e9)) == (None, None, 1.7e9)
    assert (duration(-1.0), duration(1e8), duration(0.0), duration(None)) == (
        None,
        None,
        0.0,
        None,
    )
