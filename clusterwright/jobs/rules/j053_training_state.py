"""Weights, gradients and optimizer fit in the accelerators."""

from __future__ import annotations

from collections.abc import Sequence

from clusterwright.catalog import Known
from clusterwright.jobs.job import argument
from clusterwright.jobs.rule import Fail, Job, JobRule, Results, Step, Word
from clusterwright.jobs.rules.j052_layout import number, program_words, world_size
from clusterwright.sizing.shape import ModelShape

_GIB = 2**30
_MEMORY_FLAGS = frozenset(
    [
        "--use-megatron-fsdp",
        "--use-custom-fsdp",
        "--use-torch-fsdp2",
        "--optimizer-cpu-offload",
        "--use-precision-aware-optimizer",
        "--main-params-dtype",
        "--main-grads-dtype",
        "--num-experts",
        "--multi-latent-attention",
        "--yaml-cfg",
        "--spec",
        "--finetune",
        "--fp8-param-gather",
    ]
)
"""With one of these the state is not what the bound counts."""


class TrainingState(JobRule):
    id = "CW-J053"
    severity = "error"
    prevents = "processes that end with: CUDA out of memory, before the first step"
    source = (
        "NVIDIA/Megatron-LM, theoretical_memory_usage.py: 18 bytes per parameter, 6 + 12/DP with "
        "--use-distributed-optimizer; accelerators as in the catalogue"
    )

    def check(self, job: Job) -> Results:
        memory = _memory_gib(job)
        if memory is None:
            return
        for step in job.file.steps:
            words = program_words(step)
            if argument(words, "--num-layers") is None:
                continue
            state = _state_gib(job, step, words)
            if state is not None and state > memory:
                yield Fail(
                    message=f"weights, gradients and optimizer take at least {state:,.0f} GiB on "
                    f"each accelerator, which has {memory:g}",
                    at=argument(words, "--num-layers"),
                    requested=round(state),
                    limit=round(memory),
                    where="GiB",
                    hint="more tensor or pipeline parallelism, or --use-distributed-optimizer; "
                    f"`clusterwright plan` finds a layout for {job.groups[0].instance_type}",
                )


def _memory_gib(job: Job) -> float | None:
    found = []
    for group in job.groups:
        instance = job.catalog.instance(group.instance_type)
        memory = instance.accelerator_memory_gib if instance is not None else None
        if not isinstance(memory, Known) or not memory.value or group.mig_profile:
            return None
        found.append(float(memory.value))
    return max(found, default=None)


def _state_gib(job: Job, step: Step, words: Sequence[Word]) -> float | None:
    """A lower bound: embeddings, activations and buffers are not counted."""
    texts = {word.text.partition("=")[0] for word in words}
    if texts & _MEMORY_FLAGS or "--bf16" not in texts:
        return None
    names = ("--num-layers", "--hidden-size", "--num-attention-heads")
    layers, hidden, heads = (number(words, name, None) for name in names)
    tensor = number(words, "--tensor-model-parallel-size", 1)
    pipeline = number(words, "--pipeline-model-parallel-size", 1)
    world = world_size(job, step)
    if not (layers and hidden and heads and tensor and pipeline and world):
        return None
    gated = "--swiglu" in texts
    ffn = number(words, "--ffn-hidden-size", 4 * hidden)
    groups = (
        number(words, "--num-query-groups", heads) if "--group-query-attention" in texts else heads
    )
    width = number(words, "--kv-channels", hidden // heads)
    if not (ffn and groups and width):
        return None
    shape = ModelShape("", layers, hidden, heads, groups, ffn, 0, width, gated, True)
    data = max(1, world // (tensor * pipeline))
    each = 6 + 12 / data if "--use-distributed-optimizer" in texts else 18
    return shape.counted_params / (tensor * pipeline) * each / _GIB
