"""Pre-training with Megatron-LM: the arguments of the plan, and those of a Llama-shaped model."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import Final

from clusterwright.job_templates import kubernetes, slurm
from clusterwright.job_templates.parallel import (
    PARALLEL_SETTINGS,
    ParallelRun,
    parallel_run,
)
from clusterwright.job_templates.planned_layout import alternative_job
from clusterwright.job_templates.settings import Setting
from clusterwright.job_templates.template import Context, JobTemplate, RefusedError
from clusterwright.sizing import stages
from clusterwright.sizing.launch import layers_of
from clusterwright.sizing.plan_types import Layout, Sharding

TRACKER: Final = "latest_checkpointed_iteration.txt"
_OF_THE_JOB: Final = frozenset(
    {
        "--seq-length",
        "--max-position-embeddings",
        "--micro-batch-size",
        "--global-batch-size",
        "--train-iters",
        "--save-interval",
        "--save",
        "--load",
    }
)
"""Arguments of the plan that the job states itself, because its nodes and paths decide them."""

_FULLY_SHARDED: Final = "is fully sharded, and arguments of Megatron-LM shard the optimizer only"

_DATA: Final = """
DATA=()
for index in {data}/*.idx; do
  if [[ -f "$index" ]]; then
    DATA+=("${{index%.idx}}")
  fi
done
((${{#DATA[@]}} > 0)) ||
  fail "$EXIT_ENVIRONMENT" "{data} has no *.idx: write it with tools/preprocess_data.py"
""".strip("\n")


def layout_of(context: Context) -> ParallelRun:
    """The run, of a layout that Megatron-LM has. Raises RefusedError, SettingError."""
    run = parallel_run(context, "distributed-optimizer")
    layers = layers_of(run.megatron)
    why = layout_refusal(Layout(pipeline=run.pipeline, sharding=_sharding(run)), layers)
    if why is None:
        return run
    layout = context.plan.layout.get("text") if context.plan is not None else None
    hint = alternative_job(context.template.name, run.model_name, context.plan)
    if layers is not None and not stages.fits(layers, run.pipeline):
        number = stages.nearest(layers, run.pipeline, run.pipeline * run.data)
        hint = f"the nearest that runs has {number} stages of the pipeline; or {hint}"
    raise RefusedError(
        f"{context.template.name}: the plan's layout {layout} {why}, and the plan "
        f"has no other for {context.nodes} nodes that Megatron-LM runs",
        hint,
    )


def _sharding(run: ParallelRun) -> Sharding:
    return "fsdp" if run.sharding == "fsdp" else "distributed-optimizer"


def layout_refusal(layout: Layout, layers: int | None) -> str | None:
    """Why Megatron-LM cannot run a layout with the arguments of the plan."""
    if layout.sharding == "fsdp":
        return _FULLY_SHARDED
    if layers is not None and not stages.fits(layers, layout.pipeline):
        return (
            f"has {layout.pipeline} stages, which do not divide {layers} layers, not with fewer "
            "in the first and the last"
        )
    return None


def arguments(context: Context, run: ParallelRun) -> list[str]:
    """The arguments of pretrain_gpt.py, as words of a shell."""
    planned = [word for word in run.megatron if word.partition("=")[0] not in _OF_THE_JOB]
    words = [
        *planned,
        f"--seq-length={run.seq_len}",
        f"--max-position-embeddings={run.seq_len}",
        f"--micro-batch-size={run.micro_batch}",
        f"--global-batch-size={run.global_batch}",
        f"--train-iters={run.steps}",
        f"--save-interval={run.save_every}",
        *_model(context, run),
        *_optimizer(context, run),
        "--split=100,0,0",
        "--eval-iters=0",
        "--log-interval=1",
        "--log-throughput",
        "--distributed-timeout-minutes=30",
    ]
    return [shlex.quote(word) for word in words]


def _model(context: Context, run: ParallelRun) -> list[str]:
    """What the plan does not state: the layers of Llama where they are gated, the tokeniser."""
    words = []
    if "--swiglu" in run.megatron:
        words += [
            "--position-embedding-type=rope",
            f"--rotary-base={context.count('rotary_base')}",
            "--normalization=RMSNorm",
            "--disable-bias-linear",
        ]
    words += ["--attention-dropout=0.0", "--hidden-dropout=0.0"]
    tokenizer = context.optional("tokenizer")
    if tokenizer is not None:
        return [*words, "--tokenizer-type=HuggingFaceTokenizer", f"--tokenizer-model={tokenizer}"]
    if run.shape is None:
        raise RefusedError(
            f"the plan is for {run.model_name}, whose vocabulary is not in the list of models",
            "--set tokenizer=DIR",
        )
    return [*words, "--tokenizer-type=NullTokenizer", f"--vocab-size={run.shape.vocab}"]


def _optimizer(context: Context, run: ParallelRun) -> list[str]:
    peak = float(context.text("learning_rate"))
    return [
        f"--lr={peak:g}",
        f"--min-lr={peak / 10:g}",
        "--lr-decay-style=cosine",
        f"--lr-warmup-iters={min(context.count('warmup'), max(1, run.steps - 1))}",
        "--weight-decay=0.1",
        "--adam-beta1=0.9",
        "--adam-beta2=0.95",
        "--clip-grad=1.0",
    ]


def step(context: Context, run: ParallelRun, extra: tuple[str, ...] = ()) -> str:
    """The step: srun, the ranks' program, pretrain_gpt.py and its arguments."""
    words = [*arguments(context, run), *extra, DATA_ARGUMENT]
    return (
        f"{slurm.srun(context)} --ntasks-per-node={context.target.accelerators} \\\n"
        '  bash "$RUN_PATH/rank.sh" python "$MEGATRON/pretrain_gpt.py" \\\n'
        + " \\\n".join(f"  {word}" for word in words)
    )


def preparation(context: Context) -> list[str]:
    """Lines of a batch script before the step: Python, Megatron-LM, its data."""
    return [
        slurm.python_environment(context),
        *checkout(context),
        data(context),
        slurm.rank_program(),
        slurm.RENDEZVOUS,
    ]


def checkout(context: Context) -> list[str]:
    """Lines that find Megatron-LM."""
    path = context.optional("checkout") or f"{context.shared_path}/sources/Megatron-LM"
    return [
        f"MEGATRON={path}",
        '[[ -f "$MEGATRON/pretrain_gpt.py" ]] ||\n'
        '  fail "$EXIT_ENVIRONMENT" "$MEGATRON has no pretrain_gpt.py: clone '
        'NVIDIA/Megatron-LM there"',
        'export PYTHONPATH="$MEGATRON"',
    ]


def data(context: Context) -> str:
    """Lines that list the files of the tokens in DATA."""
    return _DATA.format(data=context.optional("data") or f"{context.shared_path}/data/megatron")


ENVIRONMENT: Final = (
    # Asserted by arguments.py for tensor and context parallelism before Blackwell.
    ("CUDA_DEVICE_MAX_CONNECTIONS", "1"),
    ("NCCL_DEBUG", "INFO"),
    ("NCCL_DEBUG_SUBSYS", "INIT,NET"),
)


DATA_ARGUMENT: Final = '--data-path "${DATA[@]}"'
PATHS: Final = ('--save="$CHECKPOINTS"', '--load="$CHECKPOINTS"', "--exit-signal-handler")


def batch_script(
    context: Context, before: Sequence[str], run: ParallelRun, extra: tuple[str, ...]
) -> str:
    """The batch script.

    Parameters
    ----------
    before:
        Lines before the step, that define DATA.
    extra:
        Arguments beside those of the run.
    """
    lines = [*before, "prune_while_running &", f"{step(context, run, extra)} &", slurm.END]
    return slurm.script(
        context,
        "\n".join(line for line in lines if line),
        tasks_per_node=context.target.accelerators,
        marker=".metadata",
        tracker=TRACKER,
        keep=run.keep,
        environment=ENVIRONMENT,
    )


def manifests(
    context: Context, before: Sequence[str], run: ParallelRun, extra: tuple[str, ...]
) -> str:
    """The objects of a job on Kubernetes, with the parameters of `batch_script`."""
    return kubernetes.training(
        context,
        '"$MEGATRON/pretrain_gpt.py"',
        [*arguments(context, run), *extra, DATA_ARGUMENT],
        marker=".metadata",
        environment=ENVIRONMENT,
        preparation=before,
        last_step=run.steps,
        tracker=TRACKER,
        keep=run.keep,
        prunes=True,
    )


def _slurm(context: Context) -> str:
    return batch_script(context, preparation(context), layout_of(context), PATHS)


def _kubernetes(context: Context) -> str:
    return manifests(context, (*checkout(context), data(context)), layout_of(context), PATHS)


SETTINGS: Final = (
    *PARALLEL_SETTINGS,
    Setting(
        "data",
        "path",
        "Folder of the tokens, *.bin and *.idx of tools/preprocess_data.py.  "
        "[default: data/megatron on the file system]",
    ),
    Setting(
        "tokenizer",
        "path",
        "Folder of a tokeniser of Hugging Face.  [default: none, the size of the vocabulary only]",
    ),
    Setting(
        "checkout",
        "path",
        "Folder of NVIDIA/Megatron-LM.  [default: sources/Megatron-LM on the file system]",
    ),
    Setting("rotary_base", "count", "Base of the rotary positions.", default="500000"),
    Setting("learning_rate", "number", "Peak learning rate, after a cosine.", default="3e-4"),
    Setting("warmup", "count", "Steps of linear warm-up.", default="100"),
)

TEMPLATE = JobTemplate(
    name="megatron-lm",
    title="Pre-training with Megatron-LM",
    family="pre-training",
    about="Runs pretrain_gpt.py of a checkout of Megatron-LM with the arguments of the plan; "
    "without a plan with tensor parallelism in the node. It resumes from the checkpoint that "
    f"{TRACKER} names. Megatron-LM removes no checkpoint: the job keeps the newest, and removes "
    "older folders iter_* below the run's checkpoints. Instead of a fully sharded layout it has "
    "the plan's next.",
    runs_on="nvidia",
    source="NVIDIA/Megatron-LM, main of 2026-08-22: megatron/training/arguments.py, the "
    "configurations of megatron/training/config, training.py and checkpointing.py; arXiv "
    "2407.21783, Llama 3, for what the plan does not state",
    minutes=1440,
    image="optional",
    trains=True,
    save_signal="TERM",
    layout_refusal=layout_refusal,
    slurm=_slurm,
    kubernetes=_kubernetes,
    settings=SETTINGS,
    untried=(
        "the program: the names of the arguments are those of the package megatron-core 0.19.2, "
        "and no run was made",
        "models that are neither Llama-shaped nor of GPT's form: the plan has the sizes, and not "
        "every detail of their layers",
        "whether a container forwards SIGTERM to the program",
    ),
)
