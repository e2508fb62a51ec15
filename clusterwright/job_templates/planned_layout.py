"""The layout of a plan that a job has: the chosen one, else the next that its framework runs."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from clusterwright.job_templates.plan import TrainingPlan, sizes_of
from clusterwright.job_templates.template import JobTemplate
from clusterwright.job_templates.torchtitan_models import FLAVORS
from clusterwright.sizing.errors import GoalError
from clusterwright.sizing.launch import layers_of, with_layout
from clusterwright.sizing.models import model
from clusterwright.sizing.plan_types import Layout
from clusterwright.sizing.shape import ModelShape
from clusterwright.sizing.stages import edge_layers

MORE_NODES = (
    "plan it with more nodes, where a layout that is not fully sharded fits: "
    "`clusterwright plan ... --nodes N --write FILE`"
)


def for_framework(plan: TrainingPlan, template: JobTemplate, world: int) -> TrainingPlan:
    """The plan with the layout that a job has.

    Parameters
    ----------
    world:
        Accelerators of the job's nodes, which the layout has to divide.

    Returns
    -------
    The plan where the framework runs the chosen layout, or none of its layouts; else a
    copy with another layout, whose `instead` says so.
    """
    layers = layers_of(plan.megatron)
    why = template.layout_refusal(sizes_of(plan.layout), layers)
    if why is None:
        return _with_stages(plan, layers)
    days = plan.layout_days or (None,) * len(plan.layouts)
    for layout, its_days in zip(plan.layouts, days, strict=True):
        sizes = sizes_of(layout)
        parts = sizes.tensor * sizes.pipeline * sizes.context
        if world % parts == 0 and template.layout_refusal(sizes, layers) is None:
            text = (
                f"The plan's layout {plan.layout.get('text')} {why}. This job has the plan's next "
                f"that can run, {layout.get('text')}: {_slower(days[0], its_days)}."
            )
            return _with(plan, layout, sizes, text)
    return plan


def _with_stages(plan: TrainingPlan, layers: int | None) -> TrainingPlan:
    """A plan that was written without the layers of an uneven pipeline, with them."""
    sizes = sizes_of(plan.layout)
    if layers is None or edge_layers(layers, sizes.pipeline) is None:
        return plan
    megatron, nemo, torchtitan = with_layout(plan.megatron, plan.nemo, plan.torchtitan, sizes)
    return replace(plan, megatron=megatron, nemo=nemo, torchtitan=torchtitan)


def _slower(chosen: float | None, other: float | None) -> str:
    if not chosen or not other:
        return "by how much it is slower is not in the plan"
    percent = round((other / chosen - 1) * 100)
    if percent == 0:
        return "the plan expects it to be as fast"
    more = "slower" if percent > 0 else "faster"
    return f"the plan expects it to be {abs(percent)} % {more}"


def _with(plan: TrainingPlan, layout: Mapping[str, Any], sizes: Layout, text: str) -> TrainingPlan:
    batch = sizes.micro_batch * sizes.data * sizes.accumulation
    steps = plan.train_steps
    if steps is not None and plan.global_batch is not None:
        steps = math.ceil(steps * plan.global_batch / batch)
    megatron, nemo, torchtitan = plan.megatron, plan.nemo, plan.torchtitan
    if layers_of(megatron) is not None:
        megatron, nemo, torchtitan = with_layout(megatron, nemo, torchtitan, sizes)
    return replace(
        plan,
        layout=layout,
        megatron=megatron,
        nemo=nemo,
        torchtitan=torchtitan,
        global_batch=batch,
        train_steps=steps,
        instead=text,
    )


def dense_and_gated(shape: ModelShape) -> bool:
    """Whether the program of the job fsdp2 has a model of this shape."""
    return shape.experts is None and shape.latent is None and shape.gated


def alternative_job(job: str, name: str, plan: TrainingPlan | None) -> str:
    """What to render instead of a job that cannot train a model: the hint of its refusal.

    Parameters
    ----------
    job:
        The job that is refused.
    name:
        The model's name.
    """
    try:
        shape = model(name)
    except GoalError:
        shape = None
    fully = plan is not None and all(one.get("sharding") == "fsdp" for one in plan.layouts)
    able = []
    if job != "torchtitan" and shape is not None and shape.name in FLAVORS:
        able.append("torchtitan")
    if job != "fsdp2" and shape is not None and dense_and_gated(shape):
        able.append("fsdp2")
    if job not in ("megatron-lm", "megatron-bridge") and not fully:
        able.append("megatron-lm")
    if able:
        return f"render {' or '.join(able)}"
    if job == "torchtitan":
        return f"set flavor to a model with the same sizes, or {MORE_NODES}, for megatron-lm"
    return f"{MORE_NODES}; or render torchtitan with `--set flavor` of a model of the same sizes"
