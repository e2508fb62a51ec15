"""Weights, gradients and optimizer fit in the accelerators."""

from __future__ import annotations

import re
from collections.abc import Sequence

from clusterwright.catalog import Known
from clusterwright.jobs import hub
from clusterwright.jobs.job import argument
from clusterwright.jobs.rule import Fail, Job, JobRule, Results, Step, Word
from clusterwright.jobs.rules.j052_layout import number, program_words, world_size
from clusterwright.sizing.errors import GoalError
from clusterwright.sizing.models import model
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
        "--grad-reduce-in-bf16",
        "--deepspeed",
        "--deepspeed_config",
        "--zero-stage",
    ]
)
"""With one of these the state is not what the bound counts."""


_BYTES = {"bf16": (18, 6, 12), "fp16": (20, 4, 16), "fp32": (16, 8, 8)}
"""Per parameter without the distributed optimizer, and with it: a part of each rank, and a part
that is divided by the data-parallel ranks."""
_PROGRAMS = re.compile(r"(?:^|/)pretrain_\w+\.py$")
"""Of Megatron-LM: without --bf16 and --fp16 it trains in FP32."""

_HALF_BYTES, _FULL_BYTES = 8, 16
"""Per parameter with Hugging Face's Trainer and Adam: weights, gradients and two moments, all in
BF16 or all in FP32. Gradients of FP16 weights cannot be unscaled: with --fp16 they are in FP32."""
_ADAM = frozenset({"adamw_torch", "adamw_torch_fused", "adamw_hf", "adamw_apex_fused"})
_OTHERWISE = re.compile(
    r"(?i)lora|peft|load[-_]in|quant|parallel|deepspeed|freeze|frozen|offload|--config|tp_size"
    r"|\.ya?ml$|\.json$"
)
"""Words after which the state is not that of a whole model and Adam on every rank."""
_TRAINS = re.compile(
    r"(?:^|[/._-])(?:pre)?train(?:ing|er)?(?:[._-]|$)|finetun|fine_tun"
    r"|(?:^|[/._-])(?:sft|dpo|grpo|ppo|kto|orpo|clm|mlm)(?:[._-]|$)"
)
_INFERS = re.compile(r"(?:^|[/._-])(?:eval|infer|predict|embed|generat|serv|score|bench|test)")
_TRAINING_OPTIONS = frozenset(
    {
        "--learning_rate",
        "--num_train_epochs",
        "--max_steps",
        "--per_device_train_batch_size",
        "--gradient_accumulation_steps",
    }
)
_TUNED = re.compile(r"(?i)-(?:instruct|chat|base|hf|it|pt)$|^meta-")


class TrainingState(JobRule):
    id = "CW-J053"
    severity = "error"
    prevents = "processes that end with: CUDA out of memory, before the first step"
    source = (
        "Megatron Core, developer guide, distributed optimizer: bytes per parameter by precision; "
        "Transformers documentation, model memory anatomy; PyTorch, torch.amp.GradScaler; "
        "accelerators as in the catalogue"
    )

    def check(self, job: Job) -> Results:
        memory = _memory_gib(job)
        if memory is None:
            return
        for step in job.file.steps:
            words = program_words(step)
            if argument(words, "--num-layers") is None:
                yield from _trainer(job, step, words, memory)
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
    precision = _precision(step, texts)
    if texts & _MEMORY_FLAGS or precision is None:
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
    whole, own, divided = _BYTES[precision]
    each = own + divided / data if "--use-distributed-optimizer" in texts else whole
    return shape.counted_params / (tensor * pipeline) * each / _GIB


def _precision(step: Step, texts: set[str]) -> str | None:
    """The precision of Megatron-LM's parameters; None of a program that is not its own."""
    for name in ("bf16", "fp16"):
        if f"--{name}" in texts:
            return name
    return "fp32" if any(_PROGRAMS.search(word.text) for word in step.program) else None


def _trainer(job: Job, step: Step, words: Sequence[Word], memory: float) -> Results:
    """Hugging Face's Trainer under torchrun, with a model of the Hub that is known.

    Without --fsdp every process has the whole state. What a file of settings states (accelerate,
    DeepSpeed, torchtitan) is not judged, nor a program with adapters.
    """
    world = world_size(job, step)
    name = argument(words, "--model_name_or_path", "--model-name-or-path")
    launched = step.launcher is not None and step.launcher.name == "torchrun"
    if name is None or name.dynamic or world is None or not launched or not _trains(words):
        return
    if any(_OTHERWISE.search(word.text) for word in words):
        return
    optimizer, sharded = argument(words, "--optim"), argument(words, "--fsdp")
    if optimizer is not None and optimizer.text not in _ADAM:
        return
    shape = _known(name.text)
    if shape is None:
        return
    stated = argument(words, "--torch_dtype", "--dtype")
    full = _on(words, "--fp16") or (stated is not None and stated.text == "float32")
    ranks = 1 if sharded is None or sharded.text in ("", "no_shard") else world
    state = shape.params * (_FULL_BYTES if full else _HALF_BYTES) / ranks / _GIB
    if state > memory:
        yield Fail(
            message=f"weights, gradients and optimizer of {name.text} take at least {state:,.0f} "
            f"GiB on each accelerator, which has {memory:g}",
            at=name,
            severity="warning",  # the program may do otherwise
            requested=round(state),
            limit=round(memory),
            where="GiB",
            hint="more nodes, or LoRA" if ranks > 1 else "--fsdp full_shard, DeepSpeed, or LoRA",
        )


def _trains(words: Sequence[Word]) -> bool:
    """Whether a program trains, by --do_train, by its name or by options of training.

    With --do_eval or --do_predict and without --do_train it only evaluates.
    """
    names = {word.text.partition("=")[0] for word in words}
    if "--do_train" in names or names & {"--do_eval", "--do_predict"}:
        return _on(words, "--do_train")
    if names & _TRAINING_OPTIONS:
        return True
    program = []
    for word in words:
        if word.text.startswith("-") and word.text != "-m":
            break
        program.append(word.text)
    return any(_TRAINS.search(text) and not _INFERS.search(text) for text in program)


def _on(words: Sequence[Word], name: str) -> bool:
    """Whether a flag of Transformers is set: `--fp16`, `--fp16 True`, `--fp16=true`."""
    value = argument(words, name)
    present = any(word.text.partition("=")[0] == name for word in words)
    return present and (value is None or value.text.lower() != "false")


def _known(name: str) -> ModelShape | None:
    """The shape of a model of the Hub; None if it is not in the planner's list."""
    if not hub.is_name(name):
        return None
    short = name.partition("/")[2]
    while (shorter := _TUNED.sub("", short)) != short:
        short = shorter
    try:
        return model(short)
    except GoalError:
        return None
