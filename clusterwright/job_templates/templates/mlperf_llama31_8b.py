"""MLPerf Training: Llama 3.1 8B, from scratch."""

from __future__ import annotations

import math
from typing import Final

from clusterwright.job_templates import mlperf, mlperf_llama31
from clusterwright.job_templates.mlperf_rules import LLAMA31_8B
from clusterwright.job_templates.settings import Setting, SettingError
from clusterwright.job_templates.template import Context, JobTemplate

_FOLDER: Final = "small_llm_pretraining/nemo"
_REPLICA: Final = 1
"""The reference sets no tensor, pipeline or context parallelism (get_pretrain)."""
_MAX_STEPS: Final = 1_200_000


def _run(context: Context) -> mlperf.Run:
    return mlperf.run_of(context, LLAMA31_8B, _REPLICA)


def _warmup(context: Context, run: mlperf.Run) -> int:
    stated = context.optional("warmup")
    if stated is not None:
        return int(stated)
    point = LLAMA31_8B.points.get(run.batch)
    if point is None or point.warmup is None:
        raise SettingError(
            f"{context.template.name}: the warm-up of a global batch of {run.batch} is not "
            "stated, and no reference convergence point has it",
            "--set warmup=STEPS",
        )
    return point.warmup


def _notes(context: Context) -> tuple[str, ...]:
    return mlperf.notes(context, _run(context))


def _slurm(context: Context) -> str:
    run = _run(context)
    return mlperf_llama31.batch_script(
        context,
        run,
        _FOLDER,
        [
            "--size=8b --run_slurm",
            f"--max_lr={run.rate:g}",
            f"--warmup_steps={_warmup(context, run)}",
            f"--max_steps={_MAX_STEPS}",
            f"--start_eval_at={math.ceil(LLAMA31_8B.evaluate_every / run.batch) * run.batch}",
        ],
        # The reference reads both from its environment.
        (("GBS", str(run.batch)), ("PREPROCESSED_PATH", "/preproc_data")),
    )


TEMPLATE = JobTemplate(
    name="mlperf-llama31-8b",
    title="MLPerf Llama 3.1 8B",
    family="mlperf",
    about="Runs MLCommons' reference until it reaches a log perplexity of 3.3, as an array of ten "
    "runs, each from the beginning and in a folder of its own, and gives the log to the "
    "compliance checker with its ruleset pinned. The file has a forecast of a run's time and "
    "money. Every accelerator has a whole model, so that the batch is a multiple of their "
    "number. A run that was interrupted starts over.",
    runs_on="nvidia",
    source=f"mlcommons/training, main of 2026-07-27: {_FOLDER}; {mlperf.SOURCE}",
    nodes=1,
    minutes=1440,
    image="required",
    slurm=_slurm,
    notes=_notes,
    kubernetes_refusal="the reference and the array of its runs are for Slurm",
    settings=(
        *mlperf.settings("Folder of the tokens that MLCommons publishes."),
        mlperf_llama31.SUBMITTER,
        mlperf_llama31.TOKENIZER,
        mlperf_llama31.CHECKOUT,
        Setting("warmup", "count", "Steps of warm-up.  [default: those of the reference's runs]"),
    ),
    untried=mlperf_llama31.UNTRIED,
)
