"""Supervised fine-tuning of all parameters with TRL and FSDP2."""

from __future__ import annotations

from clusterwright.job_templates import fine_tuning
from clusterwright.job_templates.template import Context, JobTemplate


def _slurm(context: Context) -> str:
    return fine_tuning.batch_script(context, "fine-tune")


def _kubernetes(context: Context) -> str:
    return fine_tuning.manifests(context, "fine-tune")


TEMPLATE = JobTemplate(
    name="sft",
    title="Supervised fine-tuning with TRL",
    family="fine-tuning",
    about="Trains all parameters of a model of Transformers, sharded with FSDP2, with the trainer "
    "of `trl sft` in a program that saves on the signal and resumes from whole checkpoints. "
    "Refused where the planner's arithmetic says that the memory of the GPUs, or of a node that "
    "loads the model, is too small.",
    runs_on="nvidia",
    source=fine_tuning.SOURCE,
    nodes=1,
    minutes=1440,
    image="optional",
    trains=True,
    slurm=_slurm,
    kubernetes=_kubernetes,
    settings=fine_tuning.settings(learning_rate="2e-5", lora=False),
    untried=fine_tuning.UNTRIED,
)
