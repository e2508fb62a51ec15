"""Suggestions for misspelt names."""

from __future__ import annotations

import time

import pytest

from clusterwright.cluster_spec.suggest import closest, did_you_mean


def test_nearest_name_is_first() -> None:
    assert closest("compte", ["compute", "computer", "network"], count=1) == ["compute"]
    assert closest("COMPUTE", ["compute"]) == ["compute"]
    assert did_you_mean("x", ["compute"]) is None
    assert did_you_mean("netwrk", ["network"]) == "did you mean `network`?"


@pytest.mark.parametrize(
    ("name", "candidates", "first"),
    [
        ("us-esat-1", ["us-west-1", "us-east-1", "us-west-2"], "us-east-1"),
        ("acount", ["accounts", "account"], "account"),
        ("zone", ["zones", "zone_id"], "zones"),
    ],
)
def test_fewest_typing_errors_are_first(name: str, candidates: list[str], first: str) -> None:
    assert closest(name, candidates)[0] == first


def test_one_word_of_a_name_is_similar() -> None:
    assert closest("slurm", ["eks", "hyperpod-slurm"]) == ["hyperpod-slurm"]
    assert closest("slur", ["eks", "hyperpod-x"]) == []


def test_long_text_is_compared_fast() -> None:
    started = time.thread_time()
    assert closest("x" * 1_000_000, ["y" * 50] * 50) == []
    assert time.thread_time() - started < 5
