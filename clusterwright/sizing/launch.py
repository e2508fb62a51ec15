"""Settings of a layout for Megatron-LM, NeMo and torchtitan (FSDP).

Global batch = micro batch x data parallel x accumulation, in every framework. Names are those of
Megatron-LM's `megatron/training/arguments.py`, of Megatron-Bridge's `ConfigContainer` (0.3.1; it
continues the language models of NeMo 2), and of torchtitan's `JobConfig` (0.2.2, with TOML files);
what a framework does not support in a layout is a caution.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from clusterwright.sizing.errors import GoalError
from clusterwright.sizing.plan_types import Layout
from clusterwright.sizing.shape import ModelShape
from clusterwright.sizing.stages import edge_layers


@dataclass(frozen=True)
class Launch:
    """Settings by framework.

    Attributes
    ----------
    megatron:
        Words of the command line, in order.
    nemo:
        Sections and values, to be written as YAML.
    torchtitan:
        Nested mappings, to be written as TOML.
    global_batch, train_steps:
        Sequences per optimizer step, and steps of the run.
    cautions:
        Unsupported combinations, by framework.
    """

    megatron: tuple[str, ...]
    nemo: Mapping[str, Any]
    torchtitan: Mapping[str, Mapping[str, object]]
    global_batch: int
    train_steps: int
    cautions: tuple[str, ...]

    @property
    def torchtitan_lines(self) -> tuple[str, ...]:
        """The settings of torchtitan as lines of TOML."""
        return toml_lines(self.torchtitan)


def toml_lines(settings: Mapping[str, Mapping[str, object]]) -> tuple[str, ...]:
    """Settings by section as lines of TOML; values are texts, numbers, flags or lists of them."""
    lines: list[str] = []
    for section, values in settings.items():
        lines.append(f"[{section}]")
        lines += [f"{key} = {json.dumps(value)}" for key, value in values.items()]
        lines.append("")
    return tuple(lines)


@dataclass(frozen=True)
class _Run:
    """What the settings of every framework are made of."""

    layout: Layout
    shape: ModelShape
    seq_len: int
    precision: str
    global_batch: int
    steps: int
    save_every_steps: int
    path: str


def launch_settings(
    layout: Layout,
    shape: ModelShape,
    *,
    seq_len: int,
    tokens: float,
    precision: str = "bf16",
    save_every_steps: int = 500,
    checkpoint_path: str = "/fsx/checkpoints",
) -> Launch:
    """The settings of a layout.

    Parameters
    ----------
    save_every_steps:
        From the checkpoint interval and the step time; at least 1.
    checkpoint_path:
        Of the spec (`storage.checkpoint_path`).

    Raises
    ------
    GoalError
        The layout has no batch.
    """
    global_batch = layout.micro_batch * layout.data * layout.accumulation
    if global_batch < 1 or seq_len < 1:
        raise GoalError(f"a batch of {global_batch} sequences of {seq_len}", field="batch_tokens")
    steps = max(1, math.ceil(tokens / (global_batch * seq_len)))
    every = max(1, save_every_steps)
    run = _Run(layout, shape, seq_len, precision, global_batch, steps, every, checkpoint_path)
    return Launch(
        megatron=tuple(_megatron(run)),
        nemo=_nemo(run),
        torchtitan=_torchtitan(run),
        global_batch=global_batch,
        train_steps=steps,
        cautions=tuple(_cautions(layout, shape, precision)),
    )


def job_command(launch: Launch, layout: Layout, name: str, *, managed: bool) -> tuple[str, ...]:
    """Command of each node of a Kubernetes job: the launcher and the settings.

    The training operators pass the number of nodes and processes to the launcher: Kubeflow's
    `torchrun`, HyperPod's `hyperpodrun` (SageMaker developer guide, "Using the training operator
    to run jobs"). A layout that is fully sharded is torchtitan's, whose settings are a file, which
    has to lie on the shared file system.

    Parameters
    ----------
    managed:
        Whether HyperPod's operator starts the job.
    """
    launcher = "hyperpodrun" if managed else "torchrun"
    if layout.sharding == "fsdp":
        file = f"/fsx/{name}.torchtitan.toml"
        return (launcher, "-m", "torchtitan.train", f"--job.config_file={file}")
    return (launcher, "pretrain_gpt.py", *launch.megatron)


def with_layout(
    megatron: Sequence[str], nemo: Mapping[str, Any], torchtitan: Mapping[str, Any], layout: Layout
) -> tuple[tuple[str, ...], dict[str, Any], dict[str, Any]]:
    """Settings with another layout of the same model: batch, steps and paths stay.

    Parameters
    ----------
    megatron, nemo, torchtitan:
        As `Launch` has them.

    Raises
    ------
    ValueError
        The words of Megatron-LM do not state the number of layers.
    """
    layers = layers_of(megatron)
    if layers is None:
        raise ValueError("no --num-layers")
    words = [word for word in megatron if word.partition("=")[0] not in _OF_LAYOUT]
    words += [*_sizes(layout, layers), *_options(layout, layers)]
    if any(word.startswith("--num-experts=") for word in words):
        words.append(f"--expert-model-parallel-size={layout.expert}")
    model = nemo.get("model")
    kept = {"seq_length": model["seq_length"]} if model and "seq_length" in model else {}
    return (
        tuple(words),
        {**nemo, "model": {**_nemo_layout(layout, layers), **kept}, "ddp": _nemo_ddp(layout)},
        {
            **torchtitan,
            "parallelism": _torchtitan_layout(layout),
            "activation_checkpoint": _activation_checkpoint(layout),
        },
    )


def layers_of(megatron: Iterable[str]) -> int | None:
    """The number of layers in words of Megatron-LM; `None` if they do not state it."""
    for word in megatron:
        name, _, value = word.partition("=")
        if name == "--num-layers" and value.isdecimal():
            return int(value)
    return None


def virtual_layers(layout: Layout, layers: int) -> int | None:
    """Layers of one model chunk; `None` without interleaving, or if they do not divide."""
    chunks = layout.pipeline * layout.virtual
    if layout.virtual == 1 or layers % chunks:
        return None
    return layers // chunks


def recompute_layers(layout: Layout, layers: int) -> tuple[str, int]:
    """Megatron's recompute method and number of layers: each layer, or the first of each chunk."""
    if layout.recompute_share >= 1:
        return "uniform", 1
    chunk = math.ceil(layers / (layout.pipeline * layout.virtual))
    return "block", max(1, math.ceil(layout.recompute_share * chunk))


def _activation_checkpoint(layout: Layout) -> dict[str, object]:
    """torchtitan's settings: recompute all layers, every n-th, or selected operations."""
    if layout.recompute == "full" and layout.recompute_share < 1:
        every = max(2, round(1 / layout.recompute_share))
        return {"mode": "selective", "selective_ac_option": str(every)}
    if layout.recompute == "selective":
        return {"mode": "selective", "selective_ac_option": "op"}
    return {"mode": layout.recompute}


def _megatron(run: _Run) -> list[str]:
    layout, shape = run.layout, run.shape
    words = [
        f"--num-layers={shape.layers}",
        f"--hidden-size={shape.hidden}",
        f"--ffn-hidden-size={shape.ffn}",
        f"--num-attention-heads={shape.heads}",
        f"--kv-channels={shape.head_width}",
        f"--seq-length={run.seq_len}",
        f"--max-position-embeddings={run.seq_len}",
        *_sizes(layout, shape.layers),
        f"--micro-batch-size={layout.micro_batch}",
        f"--global-batch-size={run.global_batch}",
        f"--train-iters={run.steps}",
        f"--save-interval={run.save_every_steps}",
        f"--save={run.path}",
        f"--load={run.path}",
        "--ckpt-format=torch_dist",
        "--async-save",
        "--bf16",
    ]
    words += _attention(shape)
    if shape.gated:
        words.append("--swiglu")
    if not shape.tied:
        words.append("--untie-embeddings-and-output-weights")
    words += _options(layout, shape.layers)
    if run.precision == "fp8":
        words.append("--fp8-format=hybrid")
    words += _experts(layout, shape)
    return words


_OF_LAYOUT: Final = frozenset(
    {
        "--tensor-model-parallel-size",
        "--pipeline-model-parallel-size",
        "--context-parallel-size",
        "--decoder-first-pipeline-num-layers",
        "--decoder-last-pipeline-num-layers",
        "--expert-model-parallel-size",
        "--sequence-parallel",
        "--num-layers-per-virtual-pipeline-stage",
        "--use-distributed-optimizer",
        "--overlap-grad-reduce",
        "--overlap-param-gather",
        "--recompute-granularity",
        "--recompute-method",
        "--recompute-num-layers",
    }
)
"""Arguments of Megatron-LM that `_sizes`, `_options` and `_experts` write for a layout."""


def _sizes(layout: Layout, layers: int) -> list[str]:
    words = [
        f"--tensor-model-parallel-size={layout.tensor}",
        f"--pipeline-model-parallel-size={layout.pipeline}",
        f"--context-parallel-size={layout.context}",
    ]
    if (edges := edge_layers(layers, layout.pipeline)) is not None:
        words += [
            f"--decoder-first-pipeline-num-layers={edges[0]}",
            f"--decoder-last-pipeline-num-layers={edges[1]}",
        ]
    return words


def _options(layout: Layout, layers: int) -> list[str]:
    words = ["--sequence-parallel"] if layout.tensor > 1 else []
    if (chunk := virtual_layers(layout, layers)) is not None:
        words.append(f"--num-layers-per-virtual-pipeline-stage={chunk}")
    if layout.sharding == "distributed-optimizer":
        words += ["--use-distributed-optimizer", "--overlap-grad-reduce", "--overlap-param-gather"]
    if layout.recompute == "selective":
        words.append("--recompute-granularity=selective")
    if layout.recompute == "full":
        method, count = recompute_layers(layout, layers)
        words += [
            "--recompute-granularity=full",
            f"--recompute-method={method}",
            f"--recompute-num-layers={count}",
        ]
    return words


def _attention(shape: ModelShape) -> list[str]:
    if shape.latent is None:
        if shape.kv_heads == shape.heads:
            return []
        return ["--group-query-attention", f"--num-query-groups={shape.kv_heads}"]
    latent = shape.latent
    words = [
        "--multi-latent-attention",
        f"--kv-lora-rank={latent.kv_rank}",
        f"--qk-head-dim={latent.nope_head}",
        f"--qk-pos-emb-head-dim={latent.rope_head}",
        f"--v-head-dim={latent.value_head}",
    ]
    if latent.query_rank is not None:
        words.append(f"--q-lora-rank={latent.query_rank}")
    return words


def _experts(layout: Layout, shape: ModelShape) -> list[str]:
    if shape.experts is None:
        return []
    experts = shape.experts
    dense = shape.layers - experts.layers
    words = [
        f"--num-experts={experts.count}",
        f"--moe-router-topk={experts.per_token}",
        f"--moe-ffn-hidden-size={experts.ffn}",
        f"--expert-model-parallel-size={layout.expert}",
        "--moe-grouped-gemm",
        "--moe-token-dispatcher-type=alltoall",
    ]
    if dense:
        words.append(f"--moe-layer-freq=([0]*{dense}+[1]*{experts.layers})")
    if experts.shared_ffn:
        words.append(f"--moe-shared-expert-intermediate-size={experts.shared_ffn}")
    return words


def _nemo_layout(layout: Layout, layers: int) -> dict[str, object]:
    model: dict[str, object] = {
        "tensor_model_parallel_size": layout.tensor,
        "pipeline_model_parallel_size": layout.pipeline,
        "context_parallel_size": layout.context,
        "expert_model_parallel_size": layout.expert,
        "sequence_parallel": layout.tensor > 1,
    }
    if (edges := edge_layers(layers, layout.pipeline)) is not None:
        model["num_layers_in_first_pipeline_stage"] = edges[0]
        model["num_layers_in_last_pipeline_stage"] = edges[1]
    if virtual_layers(layout, layers) is not None:
        model["virtual_pipeline_model_parallel_size"] = layout.virtual
    if layout.recompute != "none":
        model["recompute_granularity"] = layout.recompute
    if layout.recompute == "full":
        method, count = recompute_layers(layout, layers)
        model |= {"recompute_method": method, "recompute_num_layers": count}
    return model


def _nemo_ddp(layout: Layout) -> dict[str, object]:
    return {"use_distributed_optimizer": layout.sharding == "distributed-optimizer"}


def _nemo(run: _Run) -> dict[str, object]:
    layout = run.layout
    return {
        "model": {**_nemo_layout(layout, run.shape.layers), "seq_length": run.seq_len},
        "train": {
            "micro_batch_size": layout.micro_batch,
            "global_batch_size": run.global_batch,
            "train_iters": run.steps,
        },
        "ddp": _nemo_ddp(layout),
        # A name of training/mixed_precision.py, not a section.
        "mixed_precision": (
            "bf16_with_fp8_current_scaling_mixed" if run.precision == "fp8" else "bf16_mixed"
        ),
        "checkpoint": {
            "save": run.path,
            "load": run.path,
            "save_interval": run.save_every_steps,
            "async_save": True,
        },
    }


def _torchtitan_layout(layout: Layout) -> dict[str, object]:
    return {
        "data_parallel_replicate_degree": 1,
        "data_parallel_shard_degree": layout.data,
        "tensor_parallel_degree": layout.tensor,
        "pipeline_parallel_degree": layout.pipeline,
        "context_parallel_degree": layout.context,
        "expert_parallel_degree": layout.expert,
    }


def _torchtitan(run: _Run) -> dict[str, dict[str, object]]:
    layout = run.layout
    settings: dict[str, dict[str, object]] = {
        "training": {
            "seq_len": run.seq_len,
            "local_batch_size": layout.micro_batch * layout.accumulation
            if layout.pipeline > 1
            else layout.micro_batch,
            "global_batch_size": run.global_batch,
            "steps": run.steps,
        },
        "parallelism": _torchtitan_layout(layout),
        "activation_checkpoint": _activation_checkpoint(layout),
        "checkpoint": {
            "enable": True,
            "folder": run.path,
            "interval": run.save_every_steps,
            "async_mode": "async",
        },
    }
    if run.precision == "fp8":
        settings["model"] = {"converters": ["quantize.linear.float8"]}
    return settings


def _edges(layers: int, stages: int) -> str:
    edges = edge_layers(layers, stages)
    if edges is None:
        return "; choose another number of stages"
    return f": the first has {edges[0]}, the last {edges[1]}, the others {-(-layers // stages)}"


def _cautions(layout: Layout, shape: ModelShape, precision: str) -> list[str]:
    found = []
    if layout.sharding == "fsdp":
        found.append("Megatron: the layout is fully sharded; use torchtitan's settings")
    if layout.sharding in {"none", "distributed-optimizer"}:
        found.append(
            "torchtitan: its data parallelism shards fully, so it needs less memory than planned "
            "and gathers weights in every layer"
        )
    if layout.virtual > 1 and virtual_layers(layout, shape.layers) is None:
        found.append(
            f"Megatron: {shape.layers} layers do not divide into {layout.pipeline} stages of "
            f"{layout.virtual} chunks; without interleaving the bubble is larger than planned"
        )
    elif layout.pipeline > 1 and shape.layers % layout.pipeline:
        found.append(
            f"Megatron: {shape.layers} layers do not divide into {layout.pipeline} stages"
            + _edges(shape.layers, layout.pipeline)
        )
    if layout.recompute == "full" and layout.recompute_share < 1:
        found.append(
            f"torchtitan: the plan recomputes {layout.recompute_share:.0%} of the layers; full "
            "recomputation of all is slower, selective needs more memory"
        )
    if precision not in {"bf16", "fp8"}:
        found.append(f"no supported framework trains in {precision}")
    return found
