"""The report of a run as text."""

from __future__ import annotations

import pytest

from clusterwright.render.goodput import duration, goodput_text
from tests.support.goodput_reports import report


def test_whole_text() -> None:
    assert (
        goodput_text(report())
        == """\
prod: run llama3, torchtitan, 2025-11-24 15:58 to 2025-11-24 16:25 UTC

Time
  queue       00:08:30  31.9%  from submission to the job's start
  boot          40.0 s   2.5%  from the job's start to the program's first line
  start       00:01:30   5.6%  from the first line to the first step
  productive  00:06:40  25.0%  steps that the run kept
  repeated    00:01:10   4.4%  steps that were lost and done again
  checkpoint    20.0 s   1.2%  blocked by saving
  stalled     00:03:20  12.5%  above four steps longer than usual, unexplained
  down        00:04:30  16.9%  from the last step to the next submission
  wall time   00:26:40

steps: 40 productive, 7 repeated

Measures
                                run   plan, P10 to P90
  goodput                     36.7%     20.0% to 40.0%  within
  ETTR (queue included)       25.0%
  MFU while training           7.0%     30.0% to 50.0%  below
  MFU of the whole run         2.6%
  seconds per step               10
  tokens/s while training    26,214
  tokens/s of the whole run   9,620  28,935 to 115,741  below
  USD                          21.8
  USD per 10^9 tokens         2,079         100 to 300  above

Attempts
  job  state      resumed at  last step  kept  lost
  7    NODE_FAIL           0         27    20     7
  7    COMPLETED          20         40    20     0
"""
    )


def test_unknown_parts_are_named() -> None:
    text = goodput_text(report(records=None, plan=None))
    assert "unknown: queue and boot before the first line: there is no accounting" in text
    assert "ETTR (queue included)      unknown" in text


@pytest.mark.parametrize(
    ("seconds", "text"), [(0.125, "0.1 s"), (61, "00:01:01"), (90_061.5, "1 d 01:01:02")]
)
def test_duration(seconds: float, text: str) -> None:
    assert duration(seconds) == text
