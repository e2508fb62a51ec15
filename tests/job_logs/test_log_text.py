"""Lines without prefixes and colours, and time stamps."""

from __future__ import annotations

import pytest

from clusterwright.job_logs.log_text import lines_of, stamp


@pytest.mark.parametrize(
    ("raw", "rank"),
    [
        ("step: 1", None),
        ("3: step: 1", 3),
        (" 12: step: 1", 12),
        ("[rank7]:step: 1", 7),
        ("[default0]:step: 1", 0),
        ("retraining/0 [default4]:step: 1", 4),
        ("[1,5]<stdout>:step: 1", 5),
        ("[1,5]<stderr>: step: 1", 5),
        ("(pretraining, pid=4112) step: 1", None),
        ("trainer-1  | step: 1", None),
        ("2025-11-20T14:55:23.123456789Z step: 1", None),
        ("[2025-11-20T14:55:23+08:00] 2: step: 1", 2),
        ("\x1b[31mstep: 1\x1b[0m", None),
    ],
)
def test_prefixes(raw: str, rank: int | None) -> None:
    (line,) = lines_of(raw + "\n")
    assert (line.text, line.rank) == ("step: 1", rank)


def test_progress_bars_redraw_a_line() -> None:
    assert [(x.number, x.text, x.whole) for x in lines_of("a\rb\r\nc\nd")] == [
        (1, "a", True),
        (1, "b", True),
        (2, "c", True),
        (3, "d", False),
    ]


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("2025-10-30 14:32:58,897 - root", 1761834778.897),
        ("x 2025-10-30T14:32:58Z", 1761834778.0),
        ("2025-10-30T22:32:58+08:00", 1761834778.0),
        ("2025-10-30T09:02:58-0530", 1761834778.0),
        ("2025-13-30 14:32:58", None),
        ("iteration 10", None),
    ],
)
def test_stamps(text: str, seconds: float | None) -> None:
    assert stamp(text) == seconds


def test_stamp_in_front_is_the_time_of_a_line_without_one() -> None:
    (line,) = lines_of("2025-10-30T14:32:58Z [rank0]: step: 1\n")
    assert (line.time, line.rank) == (1761834778.0, 0)


def test_a_very_long_line_is_read_in_part() -> None:
    (line,) = lines_of("x" * 1_000_000)
    assert len(line.text) == 20_000
