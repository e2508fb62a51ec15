"""MLPerf Training: Llama 3.1 405B, from the published weights."""

from __future__ import annotations

from typing import Final

from clusterwright.job_templates import mlperf, mlperf_llama31
from clusterwright.job_templates.mlperf_rules import LLAMA31_405B
from clusterwright.job_templates.settings import Setting
from clusterwright.job_templates.template import Context, JobTemplate

_FOLDER: Final = "large_language_model_pretraining/nemo"


def _run(context: Context) -> mlperf.Run:
    return mlperf.run_of(context, LLAMA31_405B, context.optional("replica"))


def _notes(context: Context) -> tuple[str, ...]:
    found = mlperf.notes(context, _run(context))
    if context.optional("replica") is None:
        return (
            *found,
            "the layout is that of the recipe in the image, which was not read: state "
            "replica=ACCELERATORS of one replica of the model, and the batch is compared with it",
        )
    return found


def _slurm(context: Context) -> str:
    run = _run(context)
    return mlperf_llama31.batch_script(
        context,
        run,
        _FOLDER,
        [
            "--size=405b",
            f"--initial_ckpt_path={context.text('weights')} --use_ckpt --resume_from_hf",
            # Without this number the reference adds no lines of MLPerf.
            f"--max_steps={run.most_steps}",
        ],
    )


TEMPLATE = JobTemplate(
    name="mlperf-llama31-405b",
    title="MLPerf Llama 3.1 405B",
    family="mlperf",
    about="As mlperf-llama31-8b, with the published weights, until a log perplexity of 5.6, three "
    "runs. The learning rate follows from the batch, 1,152 to 9,216. The ruleset is 6.0.0, the "
    "last that has the benchmark. A run that has not converged after twice the sequences of the "
    "reference's runs ends with exit code 93.",
    runs_on="nvidia",
    source=f"mlcommons/training, main of 2026-07-27: {_FOLDER}; {mlperf.SOURCE}",
    minutes=1440,
    image="required",
    slurm=_slurm,
    notes=_notes,
    kubernetes_refusal="the reference and the array of its runs are for Slurm",
    settings=(
        *mlperf.settings("Folder of the tokens that MLCommons publishes."),
        Setting("weights", "path", "Folder of the model, converted for NeMo.", required=True),
        mlperf_llama31.SUBMITTER,
        mlperf_llama31.TOKENIZER,
        mlperf_llama31.CHECKOUT,
        Setting(
            "replica",
            "count",
            "Accelerators of one replica of the model in the image's recipe: tensor x pipeline x "
            "context parallelism.",
        ),
    ),
    untried=mlperf_llama31.UNTRIED,
)
