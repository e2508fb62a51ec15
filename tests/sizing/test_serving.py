"""Serving: memory and bandwidth."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clusterwright.catalog import load_catalog
from clusterwright.sizing import models
from clusterwright.sizing.errors import GoalError
from clusterwright.sizing.serving import plan_serving
from clusterwright.sizing.serving_types import Serving

CATALOG = load_catalog()


def _serve(name: str, **more: object) -> Serving:
    values: dict[str, object] = {"precision": "bf16", "sequences": 1, "seq_len": 4096, **more}
    return plan_serving(models.model(name), CATALOG, **values)  # type: ignore[arg-type]


def test_accelerators_are_an_integer() -> None:
    """671B in BF16 is 1,342 GB: 20 GPUs of 80 GB in the example, more than share a link."""
    found = _serve("deepseek-v3", types=["p5.48xlarge", "p5en.48xlarge", "p6-b200.48xlarge"])
    by_name = {one.hardware.name: one for one in found.replicas}
    assert "on a fast link have" in (by_name["p5.48xlarge"].infeasible or "")
    assert by_name["p5en.48xlarge"].infeasible is not None
    assert by_name["p6-b200.48xlarge"].accelerators == 8
    fp8 = _serve("deepseek-v3", precision="fp8", types=["p5en.48xlarge"])
    assert fp8.replicas[0].accelerators == 8


def test_replica_of_70b_by_precision() -> None:
    sizes = {
        precision: _serve("llama3-70b", precision=precision, types=["p5.48xlarge"]).replicas[0]
        for precision in ("bf16", "int8", "int4")
    }
    assert sizes["bf16"].accelerators == 2
    assert sizes["int8"].accelerators == 1
    assert sizes["int4"].accelerators == 1
    assert sizes["int4"].parts_gib["weights"] == pytest.approx(70.55e9 / 2 / 2**30, rel=0.01)


def test_single_sequence_is_limited_by_memory_bandwidth() -> None:
    (one,) = _serve("llama3-70b", types=["p5.48xlarge"]).replicas
    # 141 GB of weights and 1.3 GB of cache over 2 x 3.35 TB/s.
    assert one.bound_by == "memory bandwidth"
    assert one.tokens_per_s_bound == pytest.approx(2 * 3.35e12 / 142.4e9, rel=0.02)


def test_low_precision_has_a_quality_warning() -> None:
    assert any("loses quality" in text for text in _serve("llama3-8b", precision="int4").warnings)
    assert not any("loses quality" in text for text in _serve("llama3-8b").warnings)


def test_too_large_model_has_a_hint() -> None:
    with pytest.raises(GoalError) as caught:
        _serve("deepseek-v3", sequences=10_000, seq_len=1_000_000)
    assert "int8 or int4" in (caught.value.hint or "")


@given(sequences=st.integers(1, 256), seq_len=st.integers(128, 32_768))
def test_throughput_is_limited_by_memory(sequences: int, seq_len: int) -> None:
    found = _serve("llama3-8b", sequences=sequences, seq_len=seq_len)
    for one in found.replicas:
        if one.infeasible:
            continue
        assert one.per_accelerator_gib <= 0.9 * one.hardware.memory_gib * 1.000001
        assert one.tokens_per_s_bound is not None
        weights = one.parts_gib["weights"] * 2**30
        bandwidth = one.hardware.memory_gbytes_per_s * 1e9 * one.accelerators
        assert one.tokens_per_s_bound <= bandwidth / weights * sequences * 1.000001
