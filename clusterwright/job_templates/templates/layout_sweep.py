"""Measure the plan's best layouts with Megatron-LM, one after another."""

from __future__ import annotations

import json
import re
from dataclasses import asdict
from typing import Final

from clusterwright.job_templates import slurm
from clusterwright.job_templates.parallel import ParallelRun
from clusterwright.job_templates.plan import sizes_of
from clusterwright.job_templates.planned_layout import alternative_job
from clusterwright.job_templates.settings import Setting
from clusterwright.job_templates.sizes import planned_model
from clusterwright.job_templates.template import Context, JobTemplate, RefusedError
from clusterwright.job_templates.templates import megatron_lm
from clusterwright.sizing.launch import launch_settings
from clusterwright.sizing.models import usual_seq_len
from clusterwright.sizing.plan_types import Layout
from clusterwright.sizing.shape import ModelShape

_OWN: Final = frozenset({"micro_batch", "accumulation", "save_every", "keep", "steps"})
_TENSOR: Final = (8, 4, 2, 1)


def layouts(context: Context, shape: ModelShape) -> list[Layout]:
    """The layouts to measure, the planner's fastest first. Raises RefusedError."""
    world = context.nodes * context.target.accelerators
    plan = context.plan
    if plan is None:
        sizes = [t for t in _TENSOR if context.target.accelerators % t == 0 == shape.heads % t]
        found = [Layout(tensor=t, data=world // t, recompute="full") for t in sizes]
    else:
        every = [sizes_of(layout) for layout in plan.layouts]
        found = [one for one in every if _refusal(one, shape) is None]
        if not found:
            raise RefusedError(
                f"{context.template.name}: Megatron-LM runs no layout of the plan: "
                f"{every[0].text} {_refusal(every[0], shape)}",
                alternative_job("megatron-lm", shape.name, plan),
            )
        found = [one for one in found if one.accelerators == world]
        if not found:
            raise RefusedError(
                f"{context.template.name}: no layout of the plan uses the {world} accelerators "
                f"of {context.nodes} nodes",
                f"--set nodes={plan.nodes}",
            )
    return found[: context.count("layouts")]


def _refusal(layout: Layout, shape: ModelShape) -> str | None:
    return megatron_lm.layout_refusal(layout, shape.layers)


def _notes(context: Context) -> tuple[str, ...]:
    """The layouts of the plan that are left out, and why."""
    plan = context.plan
    if plan is None:
        return ()
    shape = _planned(context)
    found = [(sizes_of(layout), layout.get("text")) for layout in plan.layouts]
    left = [(text, _refusal(one, shape)) for one, text in found]
    return tuple(f"Left out: {text}, which {why}." for text, why in left if why is not None)


def _planned(context: Context) -> ModelShape:
    return planned_model(
        context, hint="the settings of its chosen layout are in the plan: render megatron-lm"
    )


def folder(layout: Layout) -> str:
    """The name of a layout as a folder: `TP8-PP2-DP2-MBS2-...`."""
    return re.sub(r"[^A-Za-z0-9.]+", "-", layout.text).strip("-")


def _run(context: Context, shape: ModelShape, layout: Layout) -> ParallelRun:
    plan = context.plan
    seq_len = int(
        context.optional("seq_len")
        or (plan.seq_len if plan is not None else usual_seq_len(shape.name) or 4096)
    )
    steps = context.count("steps")
    fp8 = plan is not None and any(word.startswith("--fp8") for word in plan.megatron)
    batch = layout.micro_batch * layout.data * layout.accumulation
    launch = launch_settings(
        layout,
        shape,
        seq_len=seq_len,
        tokens=steps * batch * seq_len,
        precision="fp8" if fp8 else "bf16",
    )
    return ParallelRun(
        model_name=shape.name,
        shape=shape,
        tensor=layout.tensor,
        pipeline=layout.pipeline,
        context=layout.context,
        data=layout.data,
        micro_batch=layout.micro_batch,
        global_batch=launch.global_batch,
        seq_len=seq_len,
        steps=steps,
        save_every=steps,
        keep=2,
        sharding=layout.sharding,
        megatron=launch.megatron,
        nemo=launch.nemo,
        torchtitan=launch.torchtitan,
    )


def _case(context: Context, shape: ModelShape, number: int, layout: Layout) -> str:
    words = megatron_lm.arguments(context, _run(context, shape, layout))
    # Without --save nothing is saved.
    kept = [
        f"'{word}'" if "," in word and "'" not in word else word
        for word in words
        if not word.startswith("--save-interval")
    ]
    lines = "\n".join(f"      {word}" for word in kept)
    return (
        f"  {number})\n    LAYOUT={folder(layout)}\n"
        f"    LAYOUT_JSON='{json.dumps(asdict(layout))}'\n"
        f"    ARGUMENTS=(\n{lines}\n    )\n    ;;"
    )


def _slurm(context: Context) -> str:
    shape = _planned(context)
    found = layouts(context, shape)
    cases = "\n".join(
        _case(context, shape, number, layout) for number, layout in enumerate(found, 1)
    )
    lines = [
        f'case "$SLURM_ARRAY_TASK_ID" in\n{cases}\n'
        '  *)\n    fail "$EXIT_ENVIRONMENT" "no layout $SLURM_ARRAY_TASK_ID"\n    ;;\nesac',
        f'RUN_PATH={context.run_path}/"$LAYOUT"',
        'mkdir --parents "$RUN_PATH"',
        'printf "%s\\n" "$LAYOUT_JSON" >"$RUN_PATH/layout.json"',
        *megatron_lm.preparation(context),
        'say "$LAYOUT: the log is in $RUN_PATH"',
        f"{slurm.srun(context)} --ntasks-per-node={context.target.accelerators} \\",
        '  --output="$RUN_PATH/%x-%J.out" --open-mode=append \\',
        '  bash "$RUN_PATH/rank.sh" python "$MEGATRON/pretrain_gpt.py" \\',
        '  "${ARGUMENTS[@]}" --data-path "${DATA[@]}"',
    ]
    return slurm.script(
        context,
        "\n".join(line for line in lines if line),
        tasks_per_node=context.target.accelerators,
        array=f"1-{len(found)}%1",
        whole_nodes=True,
        environment=megatron_lm.ENVIRONMENT,
    )


TEMPLATE = JobTemplate(
    name="layout-sweep",
    title="Measure layouts",
    family="pre-training",
    about="Trains the plan's best layouts for a few steps with Megatron-LM, as an array whose "
    "tasks run one after another on the same number of nodes; without a plan the sizes of tensor "
    "parallelism in a node. No checkpoint is written. Each layout has a folder with its log and "
    "`layout.json`: `clusterwright report layouts FILE --logs FOLDER --format json` compares "
    "them, and `clusterwright plan ... --measured` takes the result: the fastest layout becomes "
    "the plan's. A layout without memory ends with its own error, and the next begins. Fully "
    "sharded layouts are left out, and named in the file.",
    runs_on="nvidia",
    source="as megatron-lm; sbatch(1), --array",
    minutes=60,
    image="optional",
    measures=True,
    notes=_notes,
    slurm=_slurm,
    kubernetes_refusal="its tasks run one after another on the same nodes, an array of Slurm: "
    "render megatron-lm with each layout",
    settings=(
        *(setting for setting in megatron_lm.SETTINGS if setting.name not in _OWN),
        Setting("steps", "count", "Steps of each layout.", default="30"),
        Setting("layouts", "count", "The most layouts that are measured.", default="6"),
    ),
    untried=("the program, as of megatron-lm",),
)
