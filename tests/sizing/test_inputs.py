"""Inputs that follow from a goal, and their warnings."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest

from clusterwright.catalog import load_catalog
from clusterwright.sizing.errors import GoalError
from clusterwright.sizing.estimate import plan
from clusterwright.sizing.goal import parse
from clusterwright.sizing.plan_types import Plan

CATALOG = load_catalog()


TODAY = dt.date(2026, 11, 21)


def planned(**goal: Any) -> Plan:
    return plan(parse(goal), CATALOG, today=TODAY)


def on(accelerator: str, count: int | None = None) -> dict[str, Any]:
    return {"accelerator": accelerator, "accelerators": count}


P5 = {"instance_type": "p5.48xlarge", "nodes": 256}


def test_inferred_values_are_warnings() -> None:
    found = planned(params="70B", tokens="15T", cluster=P5)
    text = " ".join(found.warnings)
    for word in ("layers", "hidden", "heads", "sequence length not given", "batch not given"):
        assert word in text
    full = planned(
        params="70B",
        tokens="15T",
        cluster=P5,
        seq_len=4096,
        batch_tokens="4M",
        shape={
            "layers": 80,
            "hidden_size": 8192,
            "heads": 64,
            "kv_heads": 8,
            "vocab_size": 128256,
            "ffn_size": 28672,
        },
    )
    assert not any("not given" in text for text in full.warnings)
    assert full.shape.layers == 80


def test_given_experts_match_the_parameters() -> None:
    goal = {"params": "47B", "tokens": "1T", "cluster": P5}
    found = planned(**goal, shape={"experts": 8, "experts_per_token": 2})
    assert found.shape.counted_params == pytest.approx(47e9, rel=0.01)
    assert 10e9 < found.shape.active < 20e9
    assert any("active parameters not given" in text for text in found.warnings)
    stated = planned(**goal, active_params="13B", shape={"experts": 8, "experts_per_token": 2})
    assert stated.shape.active == 13e9


def test_a_default_batch_leaves_surplus_accelerators_idle() -> None:
    goal = {"params": "1B", "tokens": "20B", "seq_len": 2048}
    found = planned(**goal, cluster=on("H100", 100_000))
    assert found.batch_tokens == 2**20
    layout = found.chosen.layout
    assert layout is not None
    assert layout.data * layout.micro_batch <= 512
    assert any("accelerators stay idle" in text for text in found.warnings)
    enough = planned(**goal, batch_tokens=100_000 * 2048, cluster=on("H100", 100_000))
    assert enough.estimate.days.p50 < found.estimate.days.p50
    with pytest.raises(GoalError, match="cannot be spread"):
        planned(**goal, batch_tokens="1M", cluster=on("H100", 100_000))


def test_text_is_a_range_of_tokens_and_widens_the_days() -> None:
    cluster = {"cluster": P5, "params": "8B"}
    known = planned(**cluster, tokens="3.33T").estimate.days
    text = planned(**cluster, data={"bytes": "15T", "language": "english"})
    assert any("tokens, by tokenizer" in warning for warning in text.warnings)
    found = text.estimate.days
    assert found.p90 / found.p10 > known.p90 / known.p10
    named = planned(**cluster, data={"name": "llm-jp-v3"})
    assert named.tokens == 2.1e12
