"""The cluster's own baseline."""

from __future__ import annotations

import dataclasses

import pytest
from clusterwright_acceptance.baseline import (
    Baseline,
    compare,
    from_json,
    is_same_subject,
    measure,
    with_kept,
)
from hypothesis import given
from hypothesis import strategies as st

KEPT = Baseline(
    "nvlink-allreduce", "p6-b200.48xlarge", 600.0, 2.0, "GB/s", 8, {"nccl": "2.27.5"},
    "2026-11-01", 4096.0,
)  # fmt: skip


def verdicts(*values: float) -> list[str]:
    found = compare({f"n{index}": value for index, value in enumerate(values)}, "GB/s")
    return [outcome.verdict for outcome in found.values()]


def test_median_and_deviation() -> None:
    assert measure([1.0, 2.0, 3.0, 100.0]) == (2.5, 1.0)


def test_slow_node_fails() -> None:
    assert verdicts(600, 601, 599, 500) == ["pass", "pass", "pass", "fail"]


def test_both_conditions_are_needed() -> None:
    # Within 5 %, although many deviations away.
    assert verdicts(600, 600, 600, 580) == ["pass"] * 4
    # More than 5 % below, within three deviations of a wide spread.
    assert verdicts(600, 540, 660, 520, 680) == ["pass"] * 5


def test_too_few_nodes_are_unknown() -> None:
    assert verdicts(600, 300) == ["unknown", "unknown"]
    assert verdicts() == []


@given(st.lists(st.floats(100, 1000), min_size=3, max_size=40))
def test_half_of_the_nodes_never_fail(values: list[float]) -> None:
    assert verdicts(*values).count("fail") < len(values) / 2


def test_later_figure_is_compared_with_the_kept_one() -> None:
    assert with_kept(571.0, KEPT, {}).verdict == "pass"
    found = with_kept(569.0, KEPT, {"nccl": "2.27.5"})
    assert (found.verdict, found.action) == ("fail", "check")
    assert found.reason == "569 GB/s, the baseline of 2026-11-01 is 600"
    changed = with_kept(569.0, KEPT, {"nccl": "2.29.1"})
    assert changed.action == "report"
    assert changed.reason.endswith("is 600; since then nccl 2.27.5 became 2.29.1")


def test_baseline_is_written_and_read() -> None:
    row = KEPT.to_json()
    assert row["floor"] == 570.0
    assert from_json(row) == KEPT
    with pytest.raises(KeyError):
        from_json({})


def test_baselines_of_other_sizes_are_not_compared() -> None:
    assert is_same_subject(KEPT, dataclasses.replace(KEPT, median=1.0))
    assert not is_same_subject(KEPT, dataclasses.replace(KEPT, size_mib=8192.0))
    assert not is_same_subject(KEPT, dataclasses.replace(KEPT, node_count=2))
