"""Weights, gradients and optimizer fit in the accelerators."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from clusterwright.catalog import Known
from clusterwright.jobs import hub
from clusterwright.jobs.forms import ACCELERATE, DEEPSPEED, TORCHTITAN, Stated, stated
from clusterwright.jobs.job import argument
from clusterwright.jobs.rule import Fail, Job, JobRule, Results, Step, Word
from clusterwright.jobs.rules.j052_layout import number, program_words, world_size
from clusterwright.jobs.values import whole
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
_TITANS_ADAM = frozenset({"Adam", "AdamW"})
_DEEPSPEEDS_ADAM = frozenset({"adam", "adamw", "torch_adam"})
_TITAN_TRAINS = re.compile(r"(?:^|[./])torchtitan[./](?:[\w./-]*[./])?train(?:\.py)?$")
_NUMBER = re.compile(r"[-+]?[\d.]+(?:[eE][-+]?\d+)?")
_ZERO = {"0": (16, 0, 0), "1": (4, 12, 12), "2": (2, 14, 14), "3": (0, 16, 14)}
"""By ZeRO stage, with Adam: bytes per parameter on every rank, those that the ranks divide, and
how many of these an optimizer in the memory of the host takes away. ZeRO (arXiv 1910.02054, 3):
2 + 2 + 12 in mixed precision, which FP32 (4 + 4 + 8) is not below."""
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
        "DeepSpeed, ZeRO (arXiv 1910.02054); pytorch/torchtitan, config/job_config.py; "
        "accelerators as in the catalogue"
    )

    def check(self, job: Job) -> Results:
        memory = _memory_gib(job)
        if memory is None:
            return
        for step in job.file.steps:
            words = program_words(step)
            if argument(words, "--num-layers") is None:
                yield from _by_forms(job, step, words, memory)
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
    ffn = number(words, "--ffn-hidden-size", _ffn(hidden, gated=gated))
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


def _ffn(hidden: int, *, gated: bool) -> int:
    """Megatron-LM's own width without --ffn-hidden-size."""
    return hidden * 8 // 3 // 64 * 64 if gated else 4 * hidden


def _precision(step: Step, texts: set[str]) -> str | None:
    """The precision of Megatron-LM's parameters; None of a program that is not its own."""
    for name in ("bf16", "fp16"):
        if f"--{name}" in texts:
            return name
    return "fp32" if any(_PROGRAMS.search(word.text) for word in step.program) else None


@dataclass(frozen=True)
class _State:
    """Bytes per parameter: those on every rank, and those that `ranks` divide."""

    own: float
    divided: float
    ranks: float
    hint: str

    def gib(self, shape: ModelShape) -> float:
        return shape.params * (self.own + self.divided / self.ranks) / _GIB


def _by_forms(job: Job, step: Step, words: Sequence[Word], memory: float) -> Results:
    """A training of a known model whose launch line or settings say how its state is divided.

    What a file of settings states that cannot be read is not judged, nor a program with adapters.
    """
    told = stated(job, step, words)
    if told is None or not _judged(told, words):
        return
    named, shape = _model(told)
    ranks = _most_ranks(job, step, told)
    if named is None or shape is None or ranks is None:
        return
    state = _titan(told, ranks) if told.forms is TORCHTITAN else _trainer(told, ranks)
    gib = state.gib(shape) if state is not None else 0
    if state is not None and gib > memory:
        yield Fail(
            message=f"weights, gradients and optimizer of {named} take at least {gib:,.0f} "
            f"GiB on each accelerator, which has {memory:g}",
            at=told.word([name for names in told.forms.model for name in names]),
            severity="warning",  # the program may do otherwise
            requested=round(gib),
            limit=round(memory),
            where="GiB",
            hint=state.hint,
        )


def _judged(told: Stated, words: Sequence[Word]) -> bool:
    """Whether the program trains the whole model, with Adam."""
    titan = told.forms is TORCHTITAN
    trains = any(_TITAN_TRAINS.search(w.text) for w in words[:2]) if titan else _trains(words)
    if not trains or not (titan or all(map(_is_adam, _optimizers(words)))):
        return False
    read = {told.values[n].text for n in told.forms.files if n in told.values} | {
        f"--{name}" for name in told.forms.files if name in told.values
    }
    others = [w for w in words if w.text not in read and w.text.partition("=")[0] not in read]
    if any(told.forms.otherwise.search(word.text) for word in others):
        return False
    names = [told.text([name]) for name in told.forms.optimizer]
    known = _TITANS_ADAM if titan else _ADAM
    return all(name is None or name in known or _is_adam(name) for name in names)


def _optimizers(words: Sequence[Word]) -> Iterator[str]:
    """What a program's arguments say of its optimizer, such as `--optimizer adafactor`.

    Numbers are settings of one. An argument without a value has its name.
    """
    for index, word in enumerate(words):
        name, equals, value = word.text.partition("=")
        if "optim" not in name.lower() or not (equals or name.startswith("-")):
            continue
        following = words[index + 1].text if index + 1 < len(words) else "-"
        if not equals:
            value = name if following.startswith("-") else following
        if not _NUMBER.fullmatch(value):
            yield value


def _is_adam(name: str) -> bool:
    plain = name.rpartition(".")[2].lower()
    return plain in _ADAM or plain in _DEEPSPEEDS_ADAM


def _model(told: Stated) -> tuple[str | None, ModelShape | None]:
    for names in told.forms.model:
        parts = [told.word([name]) for name in names]
        texts = [part.text for part in parts if part is not None and not part.dynamic]
        if len(texts) == len(names):
            name = "-".join(texts)
            return name, _shape(name) if told.forms is TORCHTITAN else _known(name)
    return None, None


def _most_ranks(job: Job, step: Step, told: Stated) -> int | None:
    """The largest number of processes: as stated, or one for each accelerator of the nodes."""
    processes = told.word(told.forms.processes)
    if processes is not None:
        return None if processes.dynamic else whole(processes.text)
    nodes, each = job.file.nodes or (1, 1), job.accelerators_per_node
    return world_size(job, step) or (nodes[1] * each if each else None)


def _titan(told: Stated, ranks: int) -> _State | None:
    """Torchtitan divides everything by the ranks, apart from replicas, and trains in FP32."""
    replicas = told.word(told.forms.replicas)
    copies = 1 if replicas is None else whole(replicas.text)
    if told.on(told.forms.host) or not copies or copies > ranks:
        return None
    full = not told.unread and told.text(told.forms.dtype) in (None, "float32")
    each = _FULL_BYTES if full else _HALF_BYTES
    return _State(0, each, ranks / copies, "more nodes, or --training.enable_cpu_offload")


def _trainer(told: Stated, ranks: int) -> _State | None:
    """Hugging Face's Trainer and what is like it, under torchrun, accelerate or DeepSpeed."""
    stage = told.text(told.forms.stage)
    sharding = told.text(told.forms.sharding)
    kind = told.kind
    if told.unread or told.on(told.forms.host) or "offload" in (sharding or "").lower():
        return None
    if stage is not None or kind == "DEEPSPEED" or told.forms is DEEPSPEED:
        return _zero(told, stage, ranks)
    if told.forms is ACCELERATE and kind not in ("FSDP", "MULTI_GPU"):
        return None  # the settings in the user's home say it
    full = told.on(("fp16",)) or told.text(told.forms.dtype) == "float32"
    each = _FULL_BYTES if full else _HALF_BYTES
    whole_state = sharding is None or sharding in ("", "no_shard")
    if told.forms is ACCELERATE:
        whole_state = kind == "MULTI_GPU" or (sharding or "").upper() in ("3", "NO_SHARD")
    if whole_state:
        return _State(each, 0, 1, "--fsdp full_shard, DeepSpeed, or LoRA")
    return _State(0, each, ranks, "more nodes, or LoRA")


def _zero(told: Stated, stage: str | None, ranks: int) -> _State | None:
    if stage not in _ZERO or any("master" in name for name in told.values):
        return None
    own, divided, moved = _ZERO[stage]
    if told.on(told.forms.host_optimizer):
        own, divided = min(own, 2), divided - moved
    hint = "more nodes, offload, or LoRA" if stage == "3" else "ZeRO stage 3, or LoRA"
    return _State(own, divided, ranks, hint)


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
    return _shape(short)


def _shape(name: str) -> ModelShape | None:
    try:
        return model(name)
    except GoalError:
        return None
