"""How many checkpoints a training job keeps, and what they take of the file system."""

from __future__ import annotations

from typing import Final

from clusterwright.job_templates.template import Context

_LEAST: Final = 2
_GIB: Final = 2**30


def kept(context: Context) -> int:
    """Checkpoints that a job keeps: at least two, of which one is whole while one is written."""
    plan = context.plan
    return max(_LEAST, int(context.optional("keep") or (plan and plan.kept) or _LEAST))


def notes(context: Context) -> tuple[str, ...]:
    """What checkpoints take by the plan, for the heading."""
    taken = _taken_bytes(context)
    if taken is None:
        return ()
    keeps = kept(context)
    return (
        f"By the plan a checkpoint has {taken / (keeps + 1) / 1e9:,.0f} GB: {keeps} that are kept "
        f"and the next one take {taken / 1e9:,.0f} GB of {context.shared_path}.",
    )


def warnings(context: Context) -> tuple[str, ...]:
    """For the heading and stderr: the file system is too small for them."""
    taken, gib = _taken_bytes(context), context.target.shared_capacity_gib
    if taken is None or gib is None or taken <= gib * _GIB:
        return ()
    return (
        f"{kept(context) + 1} checkpoints take {taken / 1e9:,.0f} GB by the plan, and "
        f"{context.shared_path} has {gib * _GIB / 1e9:,.0f} GB: the job will end when it is full. "
        "Set keep, or capacity_gib of the file system.",
    )


def _taken_bytes(context: Context) -> float | None:
    """Bytes of the kept checkpoints and of the next one; None without a plan that states them."""
    template, plan = context.template, context.plan
    if plan is None or plan.checkpoint_bytes is None or not template.uses_plan:
        return None
    if not any(setting.name == "keep" for setting in template.settings):
        return None
    return plan.checkpoint_bytes * (kept(context) + 1)
