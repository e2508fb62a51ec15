"""Framework settings of a job: those of the plan, else of a plain layout, for the job's nodes."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from clusterwright.job_templates import checkpoints
from clusterwright.job_templates.settings import Setting, SettingError
from clusterwright.job_templates.sizes import SETTINGS
from clusterwright.job_templates.template import Context, RefusedError
from clusterwright.sizing.errors import GoalError
from clusterwright.sizing.launch import Launch, launch_settings
from clusterwright.sizing.models import model, usual_seq_len
from clusterwright.sizing.plan_types import Layout, Sharding
from clusterwright.sizing.shape import ModelShape

PARALLEL_SETTINGS: Final[tuple[Setting, ...]] = SETTINGS[:-1]
"""Of the model and the run; where the data are depends on the framework."""
_TENSOR_MAX: Final = 8
_SAVE_EVERY: Final = 500
_STEPS: Final = 1000
_AXES: Final = ("tensor", "pipeline", "context")


@dataclass(frozen=True)
class ParallelRun:
    """The layout of a run on the job's nodes, and the settings of the frameworks.

    Attributes
    ----------
    model_name, shape:
        Of the planned or the stated model; the shape is None if the name is not in the list.
    data:
        Data-parallel ranks: accelerators of the nodes by tensor x pipeline x context.
    global_batch:
        Sequences of a step: micro_batch x data x accumulation.
    megatron, nemo, torchtitan:
        As `sizing.launch.Launch` has them, still with the batch, steps and paths of the plan.
    """

    model_name: str
    shape: ModelShape | None
    tensor: int
    pipeline: int
    context: int
    data: int
    micro_batch: int
    global_batch: int
    seq_len: int
    steps: int
    save_every: int
    keep: int
    sharding: str
    megatron: tuple[str, ...]
    nemo: Mapping[str, Any]
    torchtitan: Mapping[str, Any]


def parallel_run(
    context: Context, sharding: Sharding, processes_per_node: int | None = None
) -> ParallelRun:
    """Return the run. Raises RefusedError, SettingError.

    Parameters
    ----------
    sharding:
        That of the plain layout, where no plan is used.
    processes_per_node:
        Ranks of a node, where they are not its accelerators.
    """
    world = context.nodes * (processes_per_node or context.target.accelerators)
    plan = context.plan
    name = context.text("model") if plan is None else str(plan.model.get("name"))
    shape = _shape(name, required=plan is None)
    layout = _layout(context, world, shape, sharding)
    parts = math.prod(int(layout.get(axis, 1)) for axis in _AXES)
    if world % parts:
        raise RefusedError(
            f"the layout {layout.get('text')} needs a multiple of {parts} accelerators, and "
            f"{context.nodes} nodes have {world}",
            f"--set nodes={plan.nodes}" if plan is not None else "another number of nodes",
        )
    data = world // parts
    micro_batch = int(context.optional("micro_batch") or layout.get("micro_batch", 1))
    batch = _batch(context, layout, micro_batch, data)
    seq_len = int(
        context.optional("seq_len")
        or (plan.seq_len if plan is not None else usual_seq_len(name) or 4096)
    )
    megatron, nemo, torchtitan = _frameworks(context, layout, shape, seq_len, data)
    return ParallelRun(
        model_name=name,
        shape=shape,
        tensor=int(layout.get("tensor", 1)),
        pipeline=int(layout.get("pipeline", 1)),
        context=int(layout.get("context", 1)),
        data=data,
        micro_batch=micro_batch,
        global_batch=batch,
        seq_len=seq_len,
        steps=int(context.optional("steps") or (plan and plan.train_steps) or _STEPS),
        save_every=int(
            context.optional("save_every") or (plan and plan.save_every_steps) or _SAVE_EVERY
        ),
        keep=checkpoints.kept(context),
        sharding=str(layout.get("sharding")),
        megatron=megatron,
        nemo=nemo,
        torchtitan=torchtitan,
    )


def _shape(name: str, *, required: bool) -> ModelShape | None:
    try:
        return model(name)
    except GoalError as error:
        if required:
            raise SettingError(f"--set model: {error}", "`clusterwright plan --help`") from None
        return None


def _layout(
    context: Context, world: int, shape: ModelShape | None, sharding: Sharding
) -> Mapping[str, Any]:
    """The plan's layout, else tensor parallelism in a node, or full sharding."""
    if context.plan is not None:
        return context.plan.layout
    assert shape is not None
    tensor = 1
    if sharding != "fsdp":
        each = world // context.nodes
        while tensor * 2 <= _TENSOR_MAX and each % (tensor * 2) == 0 == shape.heads % (tensor * 2):
            tensor *= 2
    return {
        "tensor": tensor,
        "micro_batch": 1,
        "accumulation": 1,
        "recompute": "full",
        "sharding": sharding,
        "text": f"TP{tensor}",
    }


def _batch(context: Context, layout: Mapping[str, Any], micro_batch: int, data: int) -> int:
    plan = context.plan
    accumulation = context.optional("accumulation")
    if accumulation is not None or plan is None or plan.global_batch is None:
        return micro_batch * data * int(accumulation or layout.get("accumulation", 1))
    if plan.global_batch % (micro_batch * data):
        raise RefusedError(
            f"the plan's batch of {plan.global_batch} sequences does not divide by micro-batch "
            f"{micro_batch} x {data} data-parallel ranks",
            f"--set nodes={plan.nodes}, or state micro_batch and accumulation",
        )
    return plan.global_batch


def _frameworks(
    context: Context,
    layout: Mapping[str, Any],
    shape: ModelShape | None,
    seq_len: int,
    data: int,
) -> tuple[tuple[str, ...], Mapping[str, Any], Mapping[str, Any]]:
    plan = context.plan
    if plan is not None:
        if not plan.megatron or not plan.torchtitan:
            raise RefusedError(
                f"{plan.name} has no settings of frameworks",
                "write it with `clusterwright plan ... --format json`",
            )
        return plan.megatron, plan.nemo, plan.torchtitan
    assert shape is not None
    launch: Launch = launch_settings(
        Layout(
            tensor=int(layout["tensor"]),
            data=data,
            recompute="full",
            sharding=layout["sharding"],
        ),
        shape,
        seq_len=seq_len,
        tokens=1,
    )
    return launch.megatron, launch.nemo, launch.torchtitan
