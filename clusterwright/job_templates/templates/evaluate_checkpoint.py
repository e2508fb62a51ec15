"""Evaluation of a run's newest whole checkpoint with lm-evaluation-harness."""

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
from clusterwright.job_templates.settings import Setting
from clusterwright.job_templates.template import Context, JobTemplate
from clusterwright.job_templates.templates import checkpoint_cleanup

PROGRAM: Final = "evaluate_checkpoint.py"


def _arguments(context: Context) -> list[str]:
    words = [
        '--work="$RUN_PATH"',
        f"--tasks={context.text('tasks')}",
        f"--marker={context.text('marker')}",
        f"--batch-size={context.text('batch_size')}",
    ]
    for name in ("num_fewshot", "limit", "include_path"):
        if context.optional(name) is not None:
            words.append(f"--{name.replace('_', '-')}={context.text(name)}")
    if context.values["parallelize"]:
        words.append("--parallelize")
    return [*words, context.text("checkpoints")]


def _slurm(context: Context) -> str:
    one_node(context)
    arguments = " \\\n".join(f"  {word}" for word in _arguments(context))
    parts = [
        results_folder(context),
        written({name: program(name) for name in (*CHECKPOINT_MODULES, PROGRAM)}),
        slurm.python_environment(context),
        f'{slurm.srun(context)} --ntasks=1 \\\n  python "$RUN_PATH/{PROGRAM}" \\\n{arguments}',
    ]
    return slurm.script(
        context,
        "\n".join(part for part in parts if part),
        environment=_environment(context),
    )


def _environment(context: Context) -> tuple[tuple[str, str], ...]:
    offline = context.values["offline"] or context.cluster.network.egress == "closed"
    return (
        ("HF_HOME", f"{context.shared_path}/huggingface"),
        *((("HF_HUB_OFFLINE", "1"), ("HF_DATASETS_OFFLINE", "1")) if offline else ()),
    )


def _kubernetes(context: Context) -> str:
    one_node(context)
    place = f"{kubernetes.PROGRAMS}/{PROGRAM}"
    return kubernetes.tasks(
        context,
        [f"python {place} \\\n" + " \\\n".join(f"  {word}" for word in _arguments(context))],
        {name: program(name) for name in (*CHECKPOINT_MODULES, PROGRAM)},
        environment=_environment(context),
    )


TEMPLATE = JobTemplate(
    name="evaluate-checkpoint",
    title="Evaluate a checkpoint",
    family="checkpoints",
    about="Evaluates the newest whole checkpoint of a folder with EleutherAI's "
    "lm-evaluation-harness, on one node. The results are NAME.evaluation-TASKS.json beside the "
    "checkpoint, written when they are whole; a checkpoint with this file is not evaluated again. "
    "The checkpoint is in Hugging Face's format, as convert-checkpoint writes it. The data of the "
    "tasks come from the hub that the environment names, or with `offline=yes` and in a closed "
    "network from HF_HOME on the file system.",
    runs_on="nvidia",
    communicates=False,
    source="EleutherAI/lm-evaluation-harness, main of 2026-08-21: lm_eval/_cli/run.py, "
    "models/huggingface.py and loggers/evaluation_tracker.py",
    nodes=1,
    minutes=480,
    image="optional",
    slurm=_slurm,
    kubernetes=_kubernetes,
    refusal=checkpoint_cleanup.refusal,
    settings=(
        Setting("checkpoints", "path", "Folder of the checkpoints.", required=True),
        Setting(
            "tasks",
            "text",
            "Tasks of the harness, with commas between them.",
            default="hellaswag,arc_easy,arc_challenge",
        ),
        Setting(
            "marker",
            "text",
            "The file that is written last into a checkpoint.",
            default="conversion.json",
        ),
        Setting("batch_size", "text", "Batch size of the harness.", default="auto"),
        Setting("num_fewshot", "count", "Examples in the prompt.  [default: those of the task]"),
        Setting("limit", "count", "Most samples of a task, for a trial.  [default: all]"),
        Setting("include_path", "path", "Folder of tasks of yours."),
        Setting(
            "parallelize",
            "flag",
            "Spread the model over the node's accelerators; otherwise it is on one.",
            default="yes",
        ),
        Setting("offline", "flag", "Use only what is in HF_HOME.", default="no"),
    ),
    untried=(
        "the program: its arguments are those of the repository, and no model was evaluated",
    ),
)
