"""The scaling report as text."""

from __future__ import annotations

from clusterwright.render.scaling import scaling_text
from tests.support.goodput_reports import scaling


def test_whole_text() -> None:
    assert (
        scaling_text(scaling({1: 80.0, 2: 42.0, 4: 24.0}))
        == """\
prod: throughput by number of nodes

  nodes  runs  tokens/s  s/step   MFU  efficiency  USD per 10^9 tokens
      1     1     3,277      80  1.7%      100.0%                3,052
      2     1     6,242      42  1.7%       95.2%                3,204
      4     1    10,923      24  1.4%       83.3%                3,662

knee: below 90 % from 4 nodes
"""
    )


def test_no_knee_and_no_points() -> None:
    assert "knee: none" in scaling_text(scaling({1: 80.0, 2: 41.0}))
    assert "unknown: throughput" in scaling_text(scaling({}))
