"""Fine-tuning of LoRA's adapters on a model in 4 bits, with TRL and bitsandbytes."""

from __future__ import annotations

from clusterwright.job_templates import fine_tuning
from clusterwright.job_templates.template import Context, JobTemplate


def _arguments(context: Context) -> tuple[str, ...]:
    return (
        *fine_tuning.adapter_arguments(context),
        "--load_in_4bit=true",
        "--bnb_4bit_quant_type=nf4",
        "--use_bnb_nested_quant=true",
    )


def _slurm(context: Context) -> str:
    return fine_tuning.batch_script(context, "qlora", _arguments(context))


def _kubernetes(context: Context) -> str:
    return fine_tuning.manifests(context, "qlora", _arguments(context))


TEMPLATE = JobTemplate(
    name="qlora",
    title="Fine-tuning of adapters with QLoRA",
    family="fine-tuning",
    about="As `lora`, with the frozen model in 4 bits: NF4 with double quantisation (arXiv "
    "2305.14314), by bitsandbytes.",
    runs_on="nvidia",
    source=f"{fine_tuning.SOURCE}; bitsandbytes 0.50.2",
    nodes=1,
    minutes=1440,
    image="optional",
    trains=True,
    slurm=_slurm,
    kubernetes=_kubernetes,
    settings=fine_tuning.settings(learning_rate="2e-4", lora=True),
    untried=fine_tuning.UNTRIED,
)
