"""Step time: physical limits and independent formulas."""

from __future__ import annotations

from dataclasses import asdict, replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clusterwright.catalog import load_catalog
from clusterwright.sizing import calibration, hardware, layouts, step
from clusterwright.sizing.flops import (
    training_flops_per_token,
)
from clusterwright.sizing.layouts import FULL, one
from clusterwright.sizing.models import model
from clusterwright.sizing.plan_types import Layout
from clusterwright.sizing.step import PARTS, Conditions

CATALOG = load_catalog()


H100 = hardware.of_instance_type("p5.48xlarge", CATALOG)


CONSTANTS = calibration.constants()


NAMES = ["llama3-8b", "llama3-70b", "llama3.1-405b", "deepseek-v3", "mixtral-8x7b", "gpt3-175b"]


ACCELERATORS = ["A100-40GB", "A100-80GB", "H100", "H200", "H800", "B200", "GB200", "Trn1", "Trn2"]


def part(name: str, layout: Layout, model_name: str = "llama3-70b", **options: object) -> float:
    values = step.times(
        model(model_name),
        options.pop("on", H100),  # type: ignore[arg-type]
        one(layout),
        CONSTANTS,
        seq_len=8192,
        precision="bf16",
        **options,  # type: ignore[arg-type]
    )
    return float(values[PARTS.index(name), 0])


@settings(max_examples=120, deadline=None)
@given(
    st.sampled_from(NAMES),
    st.sampled_from(ACCELERATORS),
    st.sampled_from([8, 32, 256, 1024, 4096]),
    st.sampled_from([2048, 8192, 65_536]),
    st.sampled_from(["bf16", "fp8"]),
    st.floats(0, 1),
)
def test_no_layout_exceeds_the_matmul_ceiling(
    name: str, accelerator: str, count: int, seq_len: int, precision: str, tuned: float
) -> None:
    """All work including recomputation, divided by peak, is below the rate of a matrix product."""
    shape, on = model(name), hardware.of_accelerator(accelerator, CATALOG)
    if precision == "fp8" and on.fp8_tflops <= 0:
        return
    grid = layouts.grid(shape, on, count, seq_len=seq_len, batch_tokens=8e6)
    if len(grid) == 0:
        return
    seconds = step.times(
        shape,
        on,
        grid,
        CONSTANTS,
        seq_len=seq_len,
        precision=precision,
        conditions=Conditions(tuned=tuned),
    )
    assert np.isfinite(seconds).all()
    assert (seconds >= 0).all()
    tokens = grid.data * grid.micro_batch * grid.accumulation * seq_len
    again = 1 + np.where(grid.recompute == FULL, grid.recompute_share, 0) / 3
    work = training_flops_per_token(shape, seq_len) * again
    share = work * tokens / seconds.sum(axis=0) / grid.accelerators
    assert (share / (on.peak_tflops(precision) * 1e12)).max() < on.ceiling


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(ACCELERATORS), st.sampled_from([2, 4, 8]), st.sampled_from([1, 2, 4]))
def test_tensor_parallelism_is_limited_by_its_link(
    accelerator: str, tensor: int, micro_batch: int
) -> None:
    """If all communication were exposed, no byte would be faster than the link."""
    on = hardware.of_accelerator(accelerator, CATALOG)
    if on.scale_up_size < tensor:
        return
    layout = Layout(tensor=tensor, data=8, micro_batch=micro_batch)
    shape = model("llama3-70b")
    exposed = part("tensor parallel", layout, on=on)
    volume = 8 * shape.layers * micro_batch * 8192 * shape.hidden * 2 * (tensor - 1) / tensor
    seconds = exposed / CONSTANTS.exposed_tensor
    assert volume / seconds <= on.scale_up_gbytes_per_s * 1e9


@settings(max_examples=60, deadline=None)
@given(st.sampled_from([2, 8, 16, 64, 256]))
def test_expert_parallelism_is_limited_by_its_links(experts: int) -> None:
    """Each token is sent once to each remote node: no more bytes than the network supports."""
    shape = model("deepseek-v3")
    assert shape.experts is not None
    layout = Layout(data=256, expert=experts)
    seconds = part("expert parallel", layout, "deepseek-v3") / CONSTANTS.exposed_expert
    groups = max(1.0, experts / 8)
    reached = groups * (1 - (1 - 1 / groups) ** shape.experts.per_token) * (1 - 1 / groups)
    far = 4 * 8192 * shape.hidden * 2 * shape.experts.layers * reached
    assert far / seconds <= H100.scale_out_gbytes_per_s * 1e9


def test_bubble_matches_narayanan() -> None:
    layout = Layout(tensor=8, pipeline=8, data=4, accumulation=32)
    found = {name: part(name, layout) for name in PARTS}
    stages = sum(found[name] for name in PARTS[: PARTS.index("pipeline bubble")])
    assert found["pipeline bubble"] / stages == pytest.approx((8 - 1) / 32)
    interleaved = replace(layout, virtual=5)
    ratio = part("pipeline bubble", interleaved) / found["pipeline bubble"]
    assert ratio == pytest.approx(1 / 5, rel=0.05)
    # 80 layers are 32 chunks of 2.5: every second one waits for half a layer.
    uneven = part("matmul", replace(layout, virtual=4)) / part("matmul", layout)
    assert uneven == pytest.approx(96 / 80)


def test_full_recomputation_adds_a_third() -> None:
    layout = Layout(tensor=8, data=8)
    again = part("recomputation", replace(layout, recompute="full"))
    names = ("matmul", "attention", "memory traffic")
    work = sum(part(name, layout) for name in names)
    assert again == pytest.approx(work / 3)
    assert part("recomputation", layout) == 0
    half = replace(layout, recompute="full", recompute_share=0.5)
    assert part("recomputation", half) == pytest.approx(again / 2)


def test_slower_link_is_slower() -> None:
    h800 = hardware.of_accelerator("H800", CATALOG)
    h100 = hardware.of_accelerator("H100", CATALOG)
    layout = Layout(tensor=8, data=32, accumulation=4)
    ratio = part("tensor parallel", layout, on=h800) / part("tensor parallel", layout, on=h100)
    assert ratio == pytest.approx(900 / 400)


def test_gradients_wait_without_efa() -> None:
    layout = Layout(tensor=8, data=256, accumulation=2)
    slow = hardware.without_efa(H100)
    assert slow.scale_out_gbytes_per_s == pytest.approx(100 / 8 / 8)
    assert part("gradients and weights", layout, on=slow) > 10 * part(
        "gradients and weights", layout
    )


def test_lora_omits_weight_gradients() -> None:
    layout = Layout(data=8)
    ratio = part("matmul", layout, trainable_share=1e-3) / part("matmul", layout)
    assert ratio == pytest.approx(4 / 6, rel=0.01)


@settings(max_examples=80, deadline=None)
@given(
    st.sampled_from(NAMES),
    st.sampled_from([1, 3, 7, 8, 12, 384, 1000, 3072, 16_384]),
    st.sampled_from([1e6, 4e6, 64e6]),
)
def test_layouts_are_supported_by_frameworks(name: str, count: int, batch: float) -> None:
    shape = model(name)
    grid = layouts.grid(shape, H100, count, seq_len=4096, batch_tokens=batch)
    for column in range(0, len(grid), max(1, len(grid) // 50)):
        layout = grid.layout(column)
        assert shape.heads % layout.tensor == 0
        assert layout.tensor <= H100.scale_up_size
        assert layout.pipeline <= shape.layers
        assert 0.9 * count <= layout.accelerators <= count
        assert layout.data * layout.micro_batch * 4096 <= batch
        assert layout.sharding != "fsdp" or layout.pipeline == 1
        if shape.experts is None:
            assert layout.expert == 1
        else:
            assert shape.experts.count % layout.expert == 0
            assert layout.expert <= layout.tensor * layout.context * layout.data
        assert Layout(**asdict(layout)) == layout
