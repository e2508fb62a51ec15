"""Fine-tuning of a model with TRL: settings, memory by the planner's arithmetic, the files.

Memory: `sizing.memory`, whose sources are named there. All parameters (SFT) have weights,
gradients and Adam's moments, which FSDP2 divides among the GPUs. LoRA (arXiv:2106.09685) keeps the
model in BF16 and trains adapters; QLoRA (arXiv:2305.14314) keeps it in 4 bits. Both are whole on
every GPU here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal

from clusterwright.catalog import Known
from clusterwright.job_templates import checkpoints, kubernetes, slurm
from clusterwright.job_templates.program_files import program
from clusterwright.job_templates.settings import Setting
from clusterwright.job_templates.sizes import SETTINGS as SIZES
from clusterwright.job_templates.sizes import planned_model
from clusterwright.job_templates.template import Context, RefusedError
from clusterwright.sizing.models import usual_seq_len
from clusterwright.sizing.plan_types import Layout
from clusterwright.sizing.shape import ModelShape

Kind = Literal["fine-tune", "lora", "qlora"]
PROGRAM: Final = "trl_sft.py"
MARKER: Final = "complete"
FSDP_CONFIG: Final = "fsdp.json"
SOURCE: Final = (
    "the packages trl 1.16.0 (scripts/sft.py, trainer/sft_config.py, trainer/model_config.py), "
    "transformers 5.24.0 (training_args.py) and peft 0.21.2, read on 2026-11-24; memory: "
    "sizing/memory.py"
)
UNTRIED: Final = (
    "the program with GPUs, NCCL and FSDP2: with PyTorch 2.15.0 on CPUs (gloo, two processes, a "
    "model of two layers) LoRA's losses after the signal and a resume equalled those of an "
    "undisturbed run",
    "mixtures of experts: TRL's handling of their layers was not looked at",
)
_FSDP: Final = """{
  "version": 2,
  "reshard_after_forward": true,
  "auto_wrap_policy": "TRANSFORMER_BASED_WRAP",
  "cpu_ram_efficient_loading": true,
  "state_dict_type": "SHARDED_STATE_DICT"
}"""
_FSDP_VARIABLES: Final = (
    # As `accelerate launch` sets them: Transformers reads them before it loads the model, so that
    # one process of a node holds it in host memory, not each.
    ("ACCELERATE_USE_FSDP", "true"),
    ("FSDP_VERSION", "2"),
    ("FSDP_CPU_RAM_EFFICIENT_LOADING", "true"),
    ("FSDP_STATE_DICT_TYPE", "SHARDED_STATE_DICT"),
)
_BYTES_LOADED: Final = 4
"""Of a weight in host memory: TRL loads a model that is trained in full in FP32."""
_STEPS: Final = 1000
_SAVE_EVERY: Final = 100


def settings(*, learning_rate: str, lora: bool) -> tuple[Setting, ...]:
    """The settings of a fine-tuning job."""
    adapters = (
        Setting("rank", "count", "Rank of the adapters.", default="16"),
        Setting("alpha", "count", "Scale of the adapters, divided by the rank.", default="32"),
        Setting("dropout", "number", "Dropout of the adapters.", default="0.05"),
    )
    sizes = {setting.name: setting for setting in SIZES}
    return (
        Setting(
            "model",
            "text",
            "A model that `clusterwright plan` knows, of the size of the weights: for the memory.",
            default="llama-3.1-8b",
        ),
        Setting(
            "weights", "path", "Folder of the model, as Transformers reads it.", required=True
        ),
        Setting(
            "dataset",
            "path",
            "Folder or file of JSON Lines or Parquet in a form of TRL: `messages`, `prompt` and "
            "`completion`, or `text`.",
            required=True,
        ),
        Setting(
            "seq_len", "count", "Longest sequence in tokens; others are cut.  [default: 4096]"
        ),
        sizes["micro_batch"],
        sizes["accumulation"],
        Setting("steps", "count", f"Steps.  [default: of the plan, else {_STEPS}]"),
        Setting(
            "save_every",
            "count",
            f"Steps between checkpoints.  [default: of the plan, else {_SAVE_EVERY}]",
        ),
        sizes["keep"],
        Setting(
            "learning_rate",
            "number",
            "Peak learning rate, after a cosine; the default is TRL's for this kind.",
            default=learning_rate,
        ),
        Setting("warmup", "count", "Steps of linear warm-up.", default="20"),
        *(adapters if lora else ()),
    )


def batch_script(context: Context, kind: Kind, arguments: Sequence[str] = ()) -> str:
    """The batch script. Raises RefusedError, SettingError.

    Parameters
    ----------
    arguments:
        Of `trl sft`, those of the kind.
    """
    words = _arguments(context, kind, "$RUN_PATH", arguments)
    tasks = context.target.accelerators
    lines = [
        slurm.python_environment(context),
        slurm.program_file(PROGRAM, program(PROGRAM)),
        slurm.program_file(FSDP_CONFIG, _FSDP) if kind == "fine-tune" else "",
        slurm.rank_program(),
        slurm.RENDEZVOUS,
        f"{slurm.srun(context)} --ntasks-per-node={tasks} \\",
        f'  bash "$RUN_PATH/rank.sh" python "$RUN_PATH/{PROGRAM}" \\',
        " \\\n".join(f"  {word}" for word in words) + " &",
        slurm.END,
    ]
    return slurm.script(
        context,
        "\n".join(line for line in lines if line),
        tasks_per_node=tasks,
        marker=MARKER,
        environment=_environment(context, kind),
    )


def manifests(context: Context, kind: Kind, arguments: Sequence[str] = ()) -> str:
    """The objects of a job on Kubernetes, with the parameters and errors of `batch_script`."""
    return kubernetes.training(
        context,
        f"{kubernetes.PROGRAMS}/{PROGRAM}",
        _arguments(context, kind, kubernetes.PROGRAMS, arguments),
        marker=MARKER,
        environment=_environment(context, kind),
        programs={
            PROGRAM: program(PROGRAM),
            **({FSDP_CONFIG: f"{_FSDP}\n"} if kind == "fine-tune" else {}),
        },
    )


def _environment(context: Context, kind: Kind) -> tuple[tuple[str, str], ...]:
    return (
        ("NCCL_DEBUG", "INFO"),
        ("NCCL_DEBUG_SUBSYS", "INIT,NET"),
        ("HF_HOME", f"{context.shared_path}/huggingface"),
        ("HF_HUB_OFFLINE", "1"),
        *(_FSDP_VARIABLES if kind == "fine-tune" else ()),
    )


def _arguments(context: Context, kind: Kind, folder: str, arguments: Sequence[str]) -> list[str]:
    """The program's arguments, as words of a shell; `folder` has the configuration of FSDP."""
    _check_plan(context, kind)
    shape = planned_model(context, hint="render without the plan, with a model of that size")
    plan = context.plan
    layout = plan.layout if plan is not None else {}
    micro_batch = int(context.optional("micro_batch") or layout.get("micro_batch", 1))
    known = usual_seq_len(shape.name) or 4096
    seq_len = int(context.optional("seq_len") or (plan.seq_len if plan else min(known, 4096)))
    check_memory(context, kind, shape, micro_batch=micro_batch, seq_len=seq_len)
    accumulation = int(context.optional("accumulation") or layout.get("accumulation", 1))
    steps = int(context.optional("steps") or (plan and plan.train_steps) or _STEPS)
    save = int(context.optional("save_every") or (plan and plan.save_every_steps) or _SAVE_EVERY)
    words = [
        f"--model_name_or_path={context.text('weights')}",
        f"--dataset_name={context.text('dataset')}",
        '--output_dir="$CHECKPOINTS"',
        f"--max_length={seq_len}",
        f"--per_device_train_batch_size={micro_batch}",
        f"--gradient_accumulation_steps={accumulation}",
        f"--max_steps={steps}",
        "--save_strategy=steps",
        f"--save_steps={save}",
        f"--save_total_limit={checkpoints.kept(context)}",
        f"--learning_rate={context.text('learning_rate')}",
        "--lr_scheduler_type=cosine",
        f"--warmup_steps={min(context.count('warmup'), max(1, steps - 1))}",
        "--bf16=true",
        "--gradient_checkpointing=true",
        "--logging_steps=1",
        "--disable_tqdm=true",
        "--report_to=none",
        "--ddp_timeout=1800",
        *arguments,
    ]
    if kind == "fine-tune":
        words += ["--fsdp", f'--fsdp_config="{folder}/{FSDP_CONFIG}"']
    return words


def adapter_arguments(context: Context) -> tuple[str, ...]:
    """LoRA's arguments of `trl sft`."""
    return (
        "--use_peft=true",
        "--dtype=bfloat16",
        f"--lora_r={context.count('rank')}",
        f"--lora_alpha={context.count('alpha')}",
        f"--lora_dropout={context.text('dropout')}",
        "--lora_target_modules=all-linear",
    )


def check_memory(
    context: Context, kind: Kind, shape: ModelShape, *, micro_batch: int, seq_len: int
) -> None:
    """Refuse a model that does not fit on the GPUs or, while it is loaded, on the node.

    Raises RefusedError.
    """
    # The planner's arithmetic needs NumPy; most jobs, and the stacks, do not.
    from clusterwright.sizing import memory
    from clusterwright.sizing.layouts import one

    instance = context.catalog.instance(context.target.instance_type)
    known = instance.accelerator_memory_gib if instance is not None else None
    name, job = context.target.instance_type, context.template.name
    if not isinstance(known, Known):
        raise RefusedError(f"{job}: the memory of the GPUs of {name} is unknown")
    world = context.nodes * context.target.accelerators
    layout = Layout(
        data=world,
        micro_batch=micro_batch,
        recompute="full",
        sharding="fsdp" if kind == "fine-tune" else "none",
    )
    training = memory.training_of(
        kind, "adam", shape, lora_rank=int(context.optional("rank") or 16)
    )
    parts = memory.by_part(shape, one(layout), seq_len=seq_len, training=training)
    needed = float(parts.sum()) / memory.GIB
    free = memory.HEADROOM * float(known.value)
    if needed > free:
        raise RefusedError(
            f"{job}: {shape.name} with sequences of {seq_len} tokens and micro-batch "
            f"{micro_batch} needs {needed:.0f} GiB on each of {world} GPUs, and {name} "
            f"has {known.value:g}, of which 10 % stay free",
            {
                "fine-tune": "more nodes, shorter sequences, or render lora",
                "lora": "shorter sequences, or render qlora",
                "qlora": "shorter sequences or a smaller model, or render sft on more nodes",
            }[kind],
        )
    host = context.target.memory_gib
    loaded = _BYTES_LOADED * shape.params / memory.GIB
    if kind == "fine-tune" and host is not None and loaded > memory.HEADROOM * host:
        raise RefusedError(
            f"{job}: one process of each node loads {shape.name} in FP32, {loaded:.0f} GiB, and "
            f"{name} has {host:g}, of which 10 % stay free",
            "render lora, or megatron-lm with a plan",
        )


def _check_plan(context: Context, kind: Kind) -> None:
    plan = context.plan
    if plan is not None and plan.kind != kind:
        raise RefusedError(
            f"{context.template.name}: {plan.name} is a plan of kind {plan.kind}",
            f"plan with --kind {kind}, or render without it",
        )
