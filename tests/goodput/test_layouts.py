"""Throughput by layout, against the plan's prediction."""

from __future__ import annotations

from typing import Any

import pytest

from clusterwright.goodput.layouts import same_layout
from clusterwright.goodput.report import RecordedPlan
from tests.support.goodput_reports import PLAN, PRICES, START, layouts
from tests.support.training_logs import BATCH, SEQ_LEN, WRITERS, Attempt

FAST: dict[str, Any] = {"tensor": 8, "pipeline": 1, "context": 1, "data": 2, "micro_batch": 2}
SLOW: dict[str, Any] = {"tensor": 4, "pipeline": 2, "context": 1, "data": 2, "micro_batch": 1}
LARGE: dict[str, Any] = {"tensor": 1, "pipeline": 1, "context": 1, "data": 16, "micro_batch": 1}


def log(step_s: float) -> str:
    return WRITERS["megatron"](Attempt(START, 0, 12, step_s=step_s))


OUT_OF_MEMORY = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB\n"


def test_the_fastest_is_first_and_failures_are_named() -> None:
    found = layouts(
        {
            "large": (LARGE, OUT_OF_MEMORY),
            "slow": (SLOW, log(50.0)),
            "broken": (SLOW, "Traceback (most recent call last):\n"),
            "fast": (FAST, log(40.0)),
            "silent": (SLOW, ""),
        }
    )
    assert [(p.name, p.outcome) for p in found.points] == [
        ("fast", "measured"),
        ("slow", "measured"),
        ("broken", "failed"),
        ("large", "out of memory"),
        ("silent", "incomplete"),
    ]
    assert (found.fastest, found.exit_code) == ("fast", 0)
    first = found.points[0]
    assert first.nodes == 2
    assert first.tokens_per_step == BATCH * SEQ_LEN
    assert first.tokens_per_second == pytest.approx(BATCH * SEQ_LEN / 40)
    assert first.mfu == pytest.approx(BATCH * SEQ_LEN / 40 * 42e9 / (16 * 989.5e12))
    assert [one.what for one in found.unknown] == ["throughput of silent"]


def test_the_plan_predicts_each_layout() -> None:
    candidates = [
        {
            "chosen": True,
            "instance_type": "p5.48xlarge",
            "accelerators": 16,
            "days": {"p50": 200.0},
            "layout": {**FAST, "text": "TP8"},
        },
        {"layout": {**SLOW, "text": "TP4"}, "days": {"p50": 250.0}},
    ]
    plan = RecordedPlan("prod.plan.json", {**PLAN, "candidates": candidates})
    found = layouts({"f": (FAST, log(40)), "s": (SLOW, log(50)), "l": (LARGE, log(60))}, plan=plan)
    chosen = 0.4 * 989.5e12 * 16 / 42e9
    assert [p.predicted_tokens_per_second for p in found.points] == [
        pytest.approx(chosen),
        pytest.approx(chosen * 0.8),
        None,
    ]


def test_what_cannot_be_answered() -> None:
    found = layouts({}, plan=None)
    assert (found.points, found.fastest, found.exit_code) == ((), None, 2)
    assert [one.what for one in found.unknown] == ["throughput", "MFU and the prediction"]
    found = layouts({"a": ({"tensor": 8}, log(40))})
    assert found.unknown[0].what == "layout of a"
    differ = PRICES.__class__(None, None, None, "types differ")
    assert layouts({"a": (FAST, log(40))}, prices=differ).unknown[0].reason == "types differ"


def test_layouts_are_compared_without_their_text() -> None:
    assert same_layout({**FAST, "text": "TP8"}, FAST)
    assert not same_layout(SLOW, FAST)
    assert not same_layout(None, FAST)
