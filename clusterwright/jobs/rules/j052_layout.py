"""The layout divides the accelerators and the batch."""

from __future__ import annotations

import re
from collections.abc import Sequence

from clusterwright.jobs.job import argument
from clusterwright.jobs.rule import Fail, Job, JobRule, Results, Step, Word
from clusterwright.jobs.values import whole

_PYTHON = re.compile(r"python\d*(?:\.\d+)?")
_CONVERTER = re.compile(r"(?:^|/)\w*(?:convert|merge|export)\w*\.py$")
"""Programs that rewrite checkpoints have the options of the training that wrote them."""
MEGATRON = {
    "tensor": "--tensor-model-parallel-size",
    "pipeline": "--pipeline-model-parallel-size",
    "context": "--context-parallel-size",
}
TITAN = {
    "tensor": "--parallelism.tensor_parallel_degree",
    "pipeline": "--parallelism.pipeline_parallel_degree",
    "context": "--parallelism.context_parallel_degree",
}
_UNEVEN = (
    "--decoder-first-pipeline-num-layers",
    "--decoder-last-pipeline-num-layers",
    "--account-for-embedding-in-pipeline-split",
    "--account-for-loss-in-pipeline-split",
    "--pipeline-model-parallel-layout",
    "--pp-partition-method",
)
"""Options of Megatron-LM and Megatron-DeepSpeed (the last) that divide the layers otherwise."""


class Layout(JobRule):
    id = "CW-J052"
    severity = "error"
    containers = True
    prevents = "processes that end with an assertion after the nodes have started"
    source = (
        "NVIDIA/Megatron-LM, megatron/training/arguments.py, num_microbatches_calculator.py and "
        "core/parallel_state.py; NVIDIA-NeMo/Speech#14838; "
        "pytorch/torchtitan, parallel_dims.py"
    )

    def check(self, job: Job) -> Results:
        for step in job.file.steps:
            words = program_words(step)
            if any(_CONVERTER.search(word.text) for word in words):
                continue
            for options in (MEGATRON, TITAN):
                if any(argument(words, name) for name in options.values()):
                    yield from _layout(job, step, words, options)


def program_words(step: Step) -> Sequence[Word]:
    """The arguments of the training program; of several commands the longest is it."""
    if step.launcher is not None:
        return step.launcher.script
    return max((one.words for one in step.programs), key=len, default=())


def world_size(job: Job, step: Step) -> int | None:
    """Processes of the step; None if the file does not say."""
    nodes = job.nodes
    own = step.options.get("nodes")
    if own is not None:
        nodes = whole(own.value)
    if (step.runner == "" and nodes != 1) or step.may_have("nodes", "ntasks", "nodelist"):
        return None
    if step.launcher is not None:
        each = step.launcher.number("nproc-per-node")
    else:
        # A script of the user may start any number of processes.
        interpreted = any(_PYTHON.fullmatch(one.name) for one in step.programs)
        each = job.tasks_per_node(step) if step.runner == "srun" and interpreted else None
    return nodes * each if nodes and each else None


def number(words: Sequence[Word], name: str, default: int | None) -> int | None:
    """The value of an option; None if it is there and not a number."""
    word = argument(words, name)
    if word is None:
        return default
    return None if word.dynamic else whole(word.text)


def _layout(job: Job, step: Step, words: Sequence[Word], options: dict[str, str]) -> Results:
    sizes = {part: number(words, name, 1) for part, name in options.items()}
    world = world_size(job, step)
    if world is None or any(not size for size in sizes.values()):
        return
    model = 1
    for size in sizes.values():
        model *= size or 1
    place = next(argument(words, name) for name in options.values() if argument(words, name))
    product = " × ".join(f"{part} {size}" for part, size in sizes.items())
    if world % model:
        yield Fail(
            message=f"{product} = {model} does not divide {world} accelerators",
            at=place,
            requested=model,
            limit=world,
        )
        return
    if options is not MEGATRON:
        return
    yield from _experts(words, sizes["tensor"] or 1, sizes["pipeline"] or 1, world)
    heads = number(words, "--num-attention-heads", None)
    tensor, pipeline = sizes["tensor"] or 1, sizes["pipeline"] or 1
    if heads is not None and heads % tensor:
        yield Fail(message=f"{heads} attention heads do not divide by tensor {tensor}", at=place)
    layers = number(words, "--num-layers", None)
    uneven = any(word.text.partition("=")[0] in _UNEVEN for word in words)
    if layers is not None and layers % pipeline and not uneven:
        yield Fail(message=f"{layers} layers do not divide by pipeline {pipeline}", at=place)
    batch, micro = (
        number(words, "--global-batch-size", None),
        number(words, "--micro-batch-size", None),
    )
    data = world // model
    if batch and micro and batch % (micro * data):
        yield Fail(
            message=f"the global batch of {batch} does not divide by micro batch {micro} × {data} "
            "data-parallel ranks",
            at=argument(words, "--global-batch-size"),
        )


def _experts(words: Sequence[Word], tensor: int, pipeline: int, world: int) -> Results:
    """The ranks of experts: Megatron divides the world a second time, without context."""
    place = argument(words, "--expert-model-parallel-size")
    experts = number(words, "--expert-model-parallel-size", 1)
    own = number(words, "--expert-tensor-parallel-size", tensor)
    if place is None or not experts or not own:
        return
    model = own * experts * pipeline
    if world % model:
        yield Fail(
            message=f"expert tensor {own} × expert {experts} × pipeline {pipeline} = {model} does "
            f"not divide {world} accelerators",
            at=place,
            requested=model,
            limit=world,
        )
    count = number(words, "--num-experts", None)
    if count and count % experts:
        yield Fail(message=f"{count} experts do not divide by expert parallel {experts}", at=place)
