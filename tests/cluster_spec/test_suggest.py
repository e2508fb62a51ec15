"""Suggestions for misspelt names."""

from __future__ import annotations

import time

from clusterwright.cluster_spec.suggest import closest, did_you_mean


def test_the_nearest_name_comes_first() -> None:
    assert closest("compte", ["compute", "computer", "network"], count=1) == ["compute"]
    assert closest("COMPUTE", ["compute"]) == ["compute"]
    assert did_you_mean("x", ["compute"]) is None
    assert did_you_mean("netwrk", ["network"]) == "did you mean `network`?"


def test_a_long_text_is_no_reason_to_think_for_long() -> None:
    started = time.monotonic()
    assert closest("x" * 1_000_000, ["y" * 50] * 50) == []
    assert time.monotonic() - started < 5
