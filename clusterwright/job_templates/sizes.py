"""Sizes of a training job: of the plan, else of a known model and stated settings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from clusterwright.job_templates import checkpoints
from clusterwright.job_templates.planned_layout import alternative_job, dense_and_gated
from clusterwright.job_templates.settings import Setting, SettingError
from clusterwright.job_templates.template import Context, RefusedError
from clusterwright.sizing.errors import GoalError
from clusterwright.sizing.models import model, usual_seq_len
from clusterwright.sizing.shape import ModelShape

_SAVE_EVERY: Final = 500
_STEPS: Final = 1000


@dataclass(frozen=True)
class Sizes:
    """The sizes of a dense model and of its run."""

    layers: int
    hidden: int
    ffn: int
    heads: int
    kv_heads: int
    vocab: int
    seq_len: int
    micro_batch: int
    accumulation: int
    steps: int
    save_every: int
    keep: int
    recompute: bool


MODEL: Final = Setting(
    "model",
    "text",
    "A model that `clusterwright plan` knows, where no plan is used.",
    default="llama-3.1-8b",
)
SETTINGS: Final = (
    MODEL,
    Setting("seq_len", "count", "Tokens of a sequence.  [default: of the plan or the model]"),
    Setting("micro_batch", "count", "Sequences of a micro-batch of one process."),
    Setting("accumulation", "count", "Gradient accumulation steps."),
    Setting("steps", "count", f"Steps of the run.  [default: of the plan, else {_STEPS}]"),
    Setting(
        "save_every",
        "count",
        f"Steps between checkpoints.  [default: of the plan, else {_SAVE_EVERY}]",
    ),
    Setting("keep", "count", "Checkpoints that are kept.  [default: of the plan, else 2]"),
    Setting("data", "path", "Folder of the tokens.  [default: data/tokens on the file system]"),
)


def planned_model(context: Context, *, hint: str) -> ModelShape:
    """Return the shape of the plan's model, or of the setting `model` without a plan.

    Parameters
    ----------
    hint:
        What to do with a plan whose model is not in the list of models.

    Raises
    ------
    RefusedError
        The plan's model is not in the list.
    SettingError
        The stated model is not in the list.
    """
    plan = context.plan
    name = context.text("model") if plan is None else str(plan.model.get("name"))
    try:
        return model(name)
    except GoalError as error:
        if plan is None:
            raise SettingError(f"--set model: {error}", "`clusterwright plan --help`") from None
        raise RefusedError(
            f"the plan is for {name}, whose shape is not in the list of models", hint
        ) from None


def sizes(context: Context) -> Sizes:
    """Return the sizes. Raises RefusedError, SettingError."""
    plan = context.plan
    shape = planned_model(context, hint="render megatron-lm, whose arguments are in the plan")
    if not dense_and_gated(shape):
        raise RefusedError(
            f"{context.template.name} trains dense models with gated layers, not {shape.name}",
            alternative_job(context.template.name, shape.name, plan),
        )
    layout = plan.layout if plan is not None else {}
    return Sizes(
        layers=shape.layers,
        hidden=shape.hidden,
        ffn=shape.ffn,
        heads=shape.heads,
        kv_heads=shape.kv_heads,
        vocab=shape.vocab,
        seq_len=context.optional("seq_len")
        or (plan.seq_len if plan is not None else usual_seq_len(shape.name) or 4096),
        micro_batch=context.optional("micro_batch") or int(layout.get("micro_batch", 1)),
        accumulation=context.optional("accumulation") or int(layout.get("accumulation", 1)),
        steps=context.optional("steps") or (plan and plan.train_steps) or _STEPS,
        save_every=context.optional("save_every")
        or (plan and plan.save_every_steps)
        or _SAVE_EVERY,
        keep=checkpoints.kept(context),
        recompute=str(layout.get("recompute", "full")) != "none",
    )


def data_path(context: Context) -> str:
    """The folder of the tokens."""
    return str(context.optional("data") or f"{context.shared_path}/data/tokens")
