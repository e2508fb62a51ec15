"""Settings of a layout in every framework."""

from __future__ import annotations

import argparse

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clusterwright.sizing import models
from clusterwright.sizing.errors import GoalError
from clusterwright.sizing.launch import Launch, launch_settings, virtual_layers, with_layout
from clusterwright.sizing.plan_types import Layout, Recompute, Sharding
from tests.job_templates.framework_names import BRIDGE, BRIDGE_PRECISIONS

LLAMA = models.model("llama3-70b")
DEEPSEEK = models.model("deepseek-v3")
LAYOUT = Layout(tensor=8, pipeline=4, data=64, virtual=5, micro_batch=1, accumulation=32)


def _parsed(launch: Launch) -> dict[str, str | bool]:
    found: dict[str, str | bool] = {}
    for word in launch.megatron:
        assert word.startswith("--")
        name, equals, value = word[2:].partition("=")
        assert name not in found, f"{name} is there twice"
        found[name] = value if equals else True
    return found


def test_llama_3_70b_settings() -> None:
    launch = launch_settings(LAYOUT, LLAMA, seq_len=8192, tokens=15e12)
    assert launch.global_batch == 1 * 64 * 32
    assert launch.train_steps == -(-15_000_000_000_000 // (2048 * 8192))
    words = _parsed(launch)
    assert words["num-layers"] == "80"
    assert words["num-query-groups"] == "8"
    assert words["num-layers-per-virtual-pipeline-stage"] == "4"
    assert words["sequence-parallel"] is True
    assert words["use-distributed-optimizer"] is True
    assert "num-experts" not in words
    assert launch.nemo["model"]["virtual_pipeline_model_parallel_size"] == 5
    assert launch.torchtitan["parallelism"]["data_parallel_shard_degree"] == 64


@pytest.mark.parametrize("precision", ["bf16", "fp8"])
def test_names_of_megatron_bridge(precision: str) -> None:
    launch = launch_settings(LAYOUT, LLAMA, seq_len=8192, tokens=15e12, precision=precision)
    names = set()
    for section, values in launch.nemo.items():
        names |= {f"{section}.{key}" for key in values} if isinstance(values, dict) else {section}
    assert names <= BRIDGE | {"checkpoint.save", "checkpoint.load", "model.seq_length"}
    assert launch.nemo["mixed_precision"] in BRIDGE_PRECISIONS


def test_mixture_of_experts_with_latent_attention_settings() -> None:
    layout = Layout(pipeline=16, expert=64, data=128, recompute="full", accumulation=8)
    words = _parsed(
        launch_settings(layout, DEEPSEEK, seq_len=4096, tokens=14.8e12, precision="fp8")
    )
    # 61 layers: 3 + 14 x 4 + 2
    assert words["decoder-first-pipeline-num-layers"] == "3"
    assert words["decoder-last-pipeline-num-layers"] == "2"
    assert words["num-experts"] == "256"
    assert words["moe-router-topk"] == "8"
    assert words["expert-model-parallel-size"] == "64"
    assert words["moe-layer-freq"] == "([0]*3+[1]*58)"
    assert words["multi-latent-attention"] is True
    assert words["recompute-granularity"] == "full"
    assert words["fp8-format"] == "hybrid"


def test_indivisible_layers_are_warnings() -> None:
    layout = Layout(tensor=8, pipeline=6, data=8, virtual=2)
    launch = launch_settings(layout, LLAMA, seq_len=8192, tokens=1e12)
    assert virtual_layers(layout, LLAMA.layers) is None
    assert any("do not divide" in text for text in launch.cautions)


def test_a_share_of_the_layers_is_recomputed() -> None:
    layout = Layout(tensor=8, pipeline=4, data=8, virtual=5, recompute="full", recompute_share=0.5)
    launch = launch_settings(layout, LLAMA, seq_len=8192, tokens=1e12)
    words = _parsed(launch)
    # 80 layers in 20 chunks of 4, of which 2 are recomputed.
    assert (words["recompute-method"], words["recompute-num-layers"]) == ("block", "2")
    assert launch.torchtitan["activation_checkpoint"]["selective_ac_option"] == "2"
    everything = launch_settings(
        Layout(tensor=8, data=8, recompute="full"), LLAMA, seq_len=8192, tokens=1e12
    )
    assert _parsed(everything)["recompute-method"] == "uniform"
    assert everything.torchtitan["activation_checkpoint"] == {"mode": "full"}


def test_missing_batch_is_refused() -> None:
    with pytest.raises(GoalError):
        launch_settings(Layout(data=0), LLAMA, seq_len=8192, tokens=1e12)


@given(
    tensor=st.sampled_from([1, 2, 4, 8]),
    pipeline=st.sampled_from([1, 2, 4, 8]),
    data=st.integers(1, 512),
    micro=st.integers(1, 8),
    accumulation=st.integers(1, 64),
    sharding=st.sampled_from(["none", "distributed-optimizer", "zero-2", "fsdp"]),
    recompute=st.sampled_from(["none", "selective", "full"]),
)
def test_frameworks_have_the_same_batch_and_layout(
    tensor: int,
    pipeline: int,
    data: int,
    micro: int,
    accumulation: int,
    sharding: Sharding,
    recompute: Recompute,
) -> None:
    layout = Layout(
        tensor=tensor,
        pipeline=pipeline,
        data=data,
        micro_batch=micro,
        accumulation=accumulation,
        sharding=sharding,
        recompute=recompute,
    )
    launch = launch_settings(layout, LLAMA, seq_len=4096, tokens=1e12)
    parser = argparse.ArgumentParser()
    for name in (
        "global-batch-size",
        "micro-batch-size",
        "tensor-model-parallel-size",
        "pipeline-model-parallel-size",
        "train-iters",
        "seq-length",
    ):
        parser.add_argument(f"--{name}", type=int, required=True)
    words, _ = parser.parse_known_args(launch.megatron)
    assert words.global_batch_size == micro * data * accumulation == launch.global_batch
    assert words.train_iters * words.global_batch_size * words.seq_length >= 1e12
    assert launch.nemo["train"]["global_batch_size"] == launch.global_batch
    titan = launch.torchtitan["parallelism"]
    product = 1
    for key in (
        "data_parallel_shard_degree",
        "tensor_parallel_degree",
        "pipeline_parallel_degree",
        "context_parallel_degree",
    ):
        product *= int(str(titan[key]))
    assert product == layout.accelerators
    assert launch.torchtitan["training"]["global_batch_size"] == launch.global_batch


def test_settings_with_another_layout_are_those_of_a_plan_with_it() -> None:
    first = Layout(data=512, expert=8, sharding="fsdp", recompute="full")
    other = Layout(tensor=4, pipeline=2, expert=16, data=64, virtual=2, recompute="selective")
    for shape, precision in ((LLAMA, "fp8"), (DEEPSEEK, "bf16")):
        planned = launch_settings(first, shape, seq_len=4096, tokens=1e12, precision=precision)
        wanted = launch_settings(other, shape, seq_len=4096, tokens=1e12, precision=precision)
        megatron, nemo, torchtitan = with_layout(
            planned.megatron, planned.nemo, planned.torchtitan, other
        )
        batch = ("--micro-batch-size=", "--global-batch-size=", "--train-iters=")
        assert {w for w in megatron if not w.startswith(batch)} == {
            w for w in wanted.megatron if not w.startswith(batch)
        }
        assert (nemo["model"], nemo["ddp"]) == (wanted.nemo["model"], wanted.nemo["ddp"])
        for section in ("parallelism", "activation_checkpoint"):
            assert torchtitan[section] == wanted.torchtitan[section]
    with pytest.raises(ValueError, match="num-layers"):
        with_layout((), {}, {}, other)
