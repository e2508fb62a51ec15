"""Suggestions for misspelt names."""

from __future__ import annotations

import time

from clusterwright.cluster_spec.suggest import closest, did_you_mean


def test_nearest_name_is_first() -> None:
    assert closest("compte", ["compute", "computer", "network"], count=1) == ["compute"]
    assert closest("COMPUTE", ["compute"]) == ["compute"]
    assert did_you_mean("x", ["compute"]) is None
    assert did_you_mean("netwrk", ["network"]) == "did you mean `network`?"


def test_long_text_is_compared_fast() -> None:
    started = time.monotonic()
    assert closest("x" * 1_000_000, ["y" * 50] * 50) == []
    assert time.monotonic() - started < 5
