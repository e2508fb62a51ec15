"""Conversion of a run's newest whole checkpoint to Hugging Face's format."""

from __future__ import annotations

from typing import Final

from clusterwright.job_templates import kubernetes, slurm
from clusterwright.job_templates.node_counts import one_node
from clusterwright.job_templates.program_files import (
    CHECKPOINT_MODULES,
    program,
    results_folder,
    written,
)
from clusterwright.job_templates.settings import Setting, SettingError
from clusterwright.job_templates.template import Context, JobTemplate, RefusedError
from clusterwright.job_templates.templates import checkpoint_cleanup
from clusterwright.job_templates.templates.prepare_data import nodes_comment

PROGRAM: Final = "convert_checkpoint.py"
_CHECKOUTS: Final = {"torchtitan": "torchtitan", "megatron-bridge": "Megatron-Bridge"}
_BYTES: Final = 8
"""Of memory for a parameter: 4 as it is loaded, 4 as it is converted."""


def _check_memory(context: Context) -> None:
    parameters, have = context.optional("parameters"), context.target.memory_gib
    if parameters is None or have is None:
        return
    need = parameters * _BYTES / 2**30
    if need > have:
        raise RefusedError(
            f"{context.template.name}: {parameters} parameters need about {need:.0f} GiB of "
            f"memory, and {context.target.instance_type} has {have:.0f} GiB",
            "--set group=NAME with a larger type",
        )


def _arguments(context: Context) -> list[str]:
    kind, folder = context.text("kind"), context.text("checkpoints")
    checkout = f"{context.shared_path}/sources/{_CHECKOUTS[kind]}"
    words = [
        f"--kind={kind}",
        f"--checkout={context.optional('checkout') or checkout}",
        f"--reference={context.text('model')}",
        f"--dtype={context.text('dtype')}",
    ]
    if kind == "torchtitan":
        words.append(f"--model-name={context.text('model_name')}")
        words.append(f"--model-flavor={context.text('model_flavor')}")
    stated = [name for name in ("tensors", "parameters") if context.optional(name) is not None]
    if stated == ["tensors"]:
        raise SettingError("--set tensors: it is stated without parameters", "state both")
    words += [f"--{name}={context.count(name)}" for name in stated]
    return [*words, folder, str(context.optional("output") or f"{folder}-hf")]


def _slurm(context: Context) -> str:
    one_node(context)
    _check_memory(context)
    arguments = " \\\n".join(f"  {word}" for word in _arguments(context))
    step = f'python "$RUN_PATH/{PROGRAM}"'
    if context.optional("image") is not None:
        step = f"{slurm.srun(context)} --ntasks=1 \\\n  {step}"
    parts = [
        nodes_comment(context.target),
        results_folder(context),
        written({name: program(name) for name in (*CHECKPOINT_MODULES, PROGRAM)}),
        slurm.python_environment(context),
        f"{step} \\\n{arguments}",
    ]
    return slurm.script(context, "\n".join(part for part in parts if part))


def _kubernetes(context: Context) -> str:
    one_node(context)
    _check_memory(context)
    place = f"{kubernetes.PROGRAMS}/{PROGRAM}"
    return kubernetes.tasks(
        context,
        [f"python {place} \\\n" + " \\\n".join(f"  {word}" for word in _arguments(context))],
        {name: program(name) for name in (*CHECKPOINT_MODULES, PROGRAM)},
    )


TEMPLATE = JobTemplate(
    name="convert-checkpoint",
    title="Convert a checkpoint to Hugging Face's format",
    family="checkpoints",
    about="Converts the newest whole checkpoint of torchtitan (torch.distributed.checkpoint), or "
    "of Megatron-Bridge and NeMo, to safetensors with the framework's own tool, on one whole "
    "node. It writes to another name and renames; nothing is overwritten, and a checkpoint that "
    "is converted is left alone. The names, shapes and numbers of the tensors have to be those of "
    "the reference model, or `tensors` and `parameters` those that are stated. The result has a "
    "`conversion.json`, and the configuration and tokeniser of the reference. Checkpoints of "
    "Megatron-LM itself are refused by the job: they have no run_config.yaml, which the tool "
    "needs.",
    runs_on="cpu",
    communicates=False,
    source="pytorch/torchtitan, main of 2026-08-21: scripts/checkpoint_conversion/"
    "convert_to_hf.py; NVIDIA-NeMo/Megatron-Bridge, main of 2026-08-22: scripts/conversion/"
    "run_conversion.py, arguments.py and README.md; huggingface/safetensors, README, Format",
    nodes=1,
    minutes=480,
    image="optional",
    slurm=_slurm,
    kubernetes=_kubernetes,
    refusal=checkpoint_cleanup.refusal,
    settings=(
        Setting("checkpoints", "path", "Folder of a run's checkpoints.", required=True),
        Setting(
            "model",
            "path",
            "Folder of a model of Hugging Face of the same shape: configuration, tokeniser, and "
            "weights to compare with.",
            required=True,
        ),
        Setting(
            "kind",
            "choice",
            "What wrote the checkpoint.",
            default="torchtitan",
            choices=("torchtitan", "megatron-bridge"),
        ),
        Setting("output", "path", "Folder of the results.  [default: CHECKPOINTS-hf]"),
        Setting(
            "dtype",
            "choice",
            "Type of the weights.",
            default="bfloat16",
            choices=("bfloat16", "float16", "float32"),
        ),
        Setting("model_name", "text", "Model of torchtitan.", default="llama3"),
        Setting("model_flavor", "text", "Flavor of torchtitan.", default="8B"),
        Setting("tensors", "count", "Number of tensors, instead of the reference's."),
        Setting(
            "parameters",
            "count",
            "Number of parameters, instead of the reference's; the memory of the node is compared "
            "with it.",
        ),
        Setting(
            "checkout",
            "path",
            "Folder of the framework's repository.  [default: sources/torchtitan or "
            "sources/Megatron-Bridge on the file system]",
        ),
    ),
    untried=(
        "the frameworks' tools: their arguments are those of the repositories, and none was run",
        f"the memory: {_BYTES} bytes for a parameter are an estimate",
    ),
)
