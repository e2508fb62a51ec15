"""The scaling report as text."""

from __future__ import annotations

from clusterwright.goodput.results import AcceptedBandwidth
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

plan: MFU 30.0% to 50.0% on 2 nodes (P10 to P90); measured 1.7%, below
"""
    )


def test_no_knee_and_no_points() -> None:
    assert "knee: none" in scaling_text(scaling({1: 80.0, 2: 41.0}))
    assert "unknown: throughput" in scaling_text(scaling({}))


def test_bandwidths_of_acceptance() -> None:
    found = tuple(
        AcceptedBandwidth(nodes, mib, gbs, None, verdict, "a.json")
        for nodes, mib, gbs, verdict in (
            (2, 512, 396.0, "pass"),
            (2, 1024, 435.0, "pass"),
            (4, 1024, 280.0, "fail"),
            (8, 512, 273.0, "pass"),
        )
    )
    text = scaling_text(scaling({1: 80.0, 2: 42.0}, acceptance=found))
    assert text.endswith(
        """
all-reduce of acceptance, bus bandwidth in GB/s
  nodes  512 MiB   1,024 MiB  of 2 nodes
      2      396         435      100.0%
      4  unknown  280 (fail)       64.4%
      8      273     unknown     unknown
"""
    )
