"""Throughput, efficiency, knee and cost by number of nodes."""

from __future__ import annotations

import pytest

from clusterwright.goodput.accounting import JobRecord
from tests.support.goodput_reports import PRICES, scaling
from tests.support.training_logs import BATCH, SEQ_LEN


def test_efficiency_and_knee() -> None:
    found = scaling({1: 80.0, 2: 42.0, 4: 24.0, 8: 16.0})
    assert [p.nodes for p in found.points] == [1, 2, 4, 8]
    assert [p.efficiency for p in found.points] == pytest.approx([1, 40 / 42, 20 / 24, 10 / 16])
    assert (found.knee, found.exit_code, found.unknown) == (4, 0, ())
    speed = BATCH * SEQ_LEN / 24
    point = found.points[2]
    assert (point.tokens_per_second, point.step_seconds) == (speed, 24.0)
    assert point.mfu == pytest.approx(speed * 42e9 / (32 * 989.5e12))
    assert point.usd_per_billion_tokens == pytest.approx(4 * 36 / 3600 / speed * 1e9)


def test_no_knee() -> None:
    assert scaling({1: 80.0, 2: 41.0}).knee is None


def test_one_size_answers_nothing() -> None:
    assert scaling({2: 40.0}).exit_code == 2
    found = scaling({})
    assert (found.points, found.exit_code) == ((), 2)
    assert found.unknown[0].what == "throughput"


def test_number_of_nodes_of_the_accounting_counts() -> None:
    jobs = [
        JobRecord(n, "t", None, None, 1.0, 2.0, "", int(n) // 10, "", "") for n in ("10", "20")
    ]
    found = scaling({10: 80.0, 20: 42.0}, records=jobs)
    assert [(p.nodes, p.files) for p in found.points] == [(1, ("n10.out",)), (2, ("n20.out",))]


def test_unknown_number_of_nodes() -> None:
    found = scaling({1: 80.0, 2: 40.0}, prices=PRICES.__class__(None, None, None, "types differ"))
    assert found.points == ()
    assert [one.what for one in found.unknown][:2] == ["nodes of n1.out", "nodes of n2.out"]


def test_what_was_trained_is_stated_for_plans() -> None:
    found = scaling({1: 80.0, 2: 42.0})
    assert found.instance_type == "p5.48xlarge"
    assert found.workload is not None
    assert found.workload.seq_len == SEQ_LEN
    assert [point.tokens_per_step for point in found.points] == [BATCH * SEQ_LEN] * 2
