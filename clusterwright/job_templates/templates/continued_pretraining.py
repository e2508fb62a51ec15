"""Continued pre-training with Megatron-LM: new data, and a share of the data of before."""

from __future__ import annotations

from typing import Final

from clusterwright.job_templates import slurm
from clusterwright.job_templates.settings import Setting, SettingError
from clusterwright.job_templates.template import Context, JobTemplate, RefusedError
from clusterwright.job_templates.templates import megatron_lm

_BLEND: Final = """
DATA=()
# Adds the files of a folder with SHARE percent of the samples together, by their sizes.
blend() {{
  local folder=$1 share=$2 index size total=0
  for index in "$folder"/*.idx; do
    [[ -s "${{index%.idx}}.bin" ]] || continue
    total=$((total + $(stat -c %s "${{index%.idx}}.bin")))
  done
  ((total > 0)) ||
    fail "$EXIT_ENVIRONMENT" "$folder has no *.idx with tokens: write it with prepare-data"
  for index in "$folder"/*.idx; do
    [[ -s "${{index%.idx}}.bin" ]] || continue
    size=$(stat -c %s "${{index%.idx}}.bin")
    # Megatron-LM divides weights by their sum. KiB: the product has to fit into 64 bits.
    DATA+=("$((1 + share * 10000 * (size / 1024) / (1 + total / 1024)))" "${{index%.idx}}")
  done
}}
blend {new} {share}
blend {replay} {replayed}
""".strip("\n")
_BASE: Final = """
BASE={base}
[[ -s "$BASE/{tracker}" ]] ||
  fail "$EXIT_ENVIRONMENT" "$BASE has no {tracker}: it is no folder of checkpoints of Megatron-LM"
""".strip("\n")
_EXTRA: Final = (*megatron_lm.PATHS, '--pretrained-checkpoint="$BASE"')
"""Without a checkpoint in --load the model is loaded from there, without optimiser and step."""


def _data(context: Context) -> list[str]:
    replayed = context.count("replay_percent")
    if replayed > 99:
        raise SettingError(
            f"--set replay_percent: {replayed}, and new data are a part too", "at most 99"
        )
    plan = context.plan
    if plan is not None and plan.kind != "continued":
        raise RefusedError(
            f"{context.template.name}: {plan.name} is a plan of kind {plan.kind}",
            "plan with --kind continued, or render without it",
        )
    new = context.optional("data") or f"{context.shared_path}/data/megatron"
    if new == context.text("replay"):
        raise SettingError(f"--set replay: {new} is the folder of the new data", "another folder")
    return [
        _BASE.format(base=context.text("base"), tracker=megatron_lm.TRACKER),
        _BLEND.format(
            new=new,
            share=100 - replayed,
            replay=context.text("replay"),
            replayed=replayed,
        ),
    ]


def _slurm(context: Context) -> str:
    before = [
        slurm.python_environment(context),
        *megatron_lm.checkout(context),
        *_data(context),
        slurm.rank_program(),
        slurm.RENDEZVOUS,
    ]
    return megatron_lm.batch_script(context, before, megatron_lm.layout_of(context), _EXTRA)


def _kubernetes(context: Context) -> str:
    before = (*megatron_lm.checkout(context), *_data(context))
    return megatron_lm.manifests(context, before, megatron_lm.layout_of(context), _EXTRA)


TEMPLATE = JobTemplate(
    name="continued-pretraining",
    title="Continued pre-training with replay of earlier data",
    family="fine-tuning",
    about="As megatron-lm, from the weights of a checkpoint: the learning rate is warmed up and "
    "decayed again, and `replay_percent` of the samples come from data of the first training, so "
    "that less of it is forgotten. Files of a folder are weighted by their sizes. The first start "
    "loads the model of `base`, without optimiser and step; later ones resume from the run's own "
    "checkpoints.",
    runs_on="nvidia",
    source="megatron-lm's, with --pretrained-checkpoint (megatron/training/config/"
    "training_config.py, checkpointing.py) and the weights of --data-path (arguments.py); arXiv "
    "2403.08763 for re-warming, re-decay and replay: 5 % where the distribution changes little, "
    "more where it changes much",
    minutes=1440,
    image="optional",
    trains=True,
    save_signal="TERM",
    layout_refusal=megatron_lm.layout_refusal,
    slurm=_slurm,
    kubernetes=_kubernetes,
    settings=(
        *megatron_lm.SETTINGS,
        Setting(
            "base",
            "path",
            "Folder of checkpoints of Megatron-LM with the model to go on from.",
            required=True,
        ),
        Setting(
            "replay",
            "path",
            "Folder of tokens of the first training, as of `data`.",
            required=True,
        ),
        Setting("replay_percent", "count", "Samples from these tokens, in percent.", default="5"),
    ),
    untried=megatron_lm.TEMPLATE.untried,
)
