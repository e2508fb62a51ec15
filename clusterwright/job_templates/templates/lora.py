"""Fine-tuning of LoRA's adapters with TRL."""

from __future__ import annotations

from clusterwright.job_templates import fine_tuning
from clusterwright.job_templates.template import Context, JobTemplate


def _slurm(context: Context) -> str:
    return fine_tuning.batch_script(context, "lora", fine_tuning.adapter_arguments(context))


def _kubernetes(context: Context) -> str:
    return fine_tuning.manifests(context, "lora", fine_tuning.adapter_arguments(context))


TEMPLATE = JobTemplate(
    name="lora",
    title="Fine-tuning of adapters with LoRA",
    family="fine-tuning",
    about="As `sft`, but the model stays frozen in BF16, whole on every GPU, and adapters on all "
    "linear layers are trained (arXiv 2106.09685). A model that does not fit on one GPU is "
    "refused. Checkpoints and the result have the adapters only.",
    runs_on="nvidia",
    source=fine_tuning.SOURCE,
    nodes=1,
    minutes=1440,
    image="optional",
    trains=True,
    slurm=_slurm,
    kubernetes=_kubernetes,
    settings=fine_tuning.settings(learning_rate="2e-4", lora=True),
    untried=fine_tuning.UNTRIED,
)
