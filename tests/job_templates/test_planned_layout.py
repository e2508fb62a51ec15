"""Every plan has a training job: where a framework does not run its layout, with the next one."""

from __future__ import annotations

import functools
import json
import re
from dataclasses import replace
from typing import Any

import pytest

from clusterwright.catalog import load_catalog
from clusterwright.job_templates.plan import TrainingPlan, training_plan
from clusterwright.job_templates.planned_layout import for_framework
from clusterwright.job_templates.registry import template_named
from clusterwright.job_templates.rendering import render
from clusterwright.job_templates.template import RefusedError
from clusterwright.json_output.plan import plan_json
from clusterwright.sizing.goal import Goal
from clusterwright.sizing.report import build_report
from clusterwright.sizing.stages import edge_layers
from tests.job_templates.made import (
    NOW,
    findings,
    made_cluster,
    made_plan,
    plan_document,
    rendered,
    required_settings,
)
from tests.job_templates.megatron_words import arguments_of

TRAINING = ("megatron-lm", "megatron-bridge", "torchtitan", "fsdp2")


@functools.cache
def _planned(model: str, nodes: int) -> str:
    goal = Goal.model_validate(
        {
            "model": model,
            "tokens": 1e12,
            "cluster": {"instance_type": "p5.48xlarge", "nodes": nodes},
        }
    )
    return plan_json(build_report(goal, load_catalog(), today=NOW.date()))


def _document(model: str, nodes: int) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(_planned(model, nodes))
    return found


def _layouts(*changes: dict[str, Any], **more: Any) -> TrainingPlan:
    """A plan of these layouts, the first chosen, each a tenth slower than the one before."""
    chosen: dict[str, Any] = plan_document()["candidates"][0]
    candidates = [
        {
            **chosen,
            "chosen": number == 0,
            "days": {"p50": 10.0 * 1.1**number},
            "layout": {**chosen["layout"], "text": f"layout {number}", **layout},
        }
        for number, layout in enumerate(changes)
    ]
    return made_plan(candidates=candidates, **more)


OPTIMIZER = {"sharding": "distributed-optimizer"}


@pytest.mark.parametrize(
    ("model", "nodes"),
    [("mixtral-8x7b", 7), ("qwen3-30b-a3b", 4), ("deepseek-v3", 64), ("llama-3.1-8b", 4)],
)
def test_every_plan_has_a_job_that_trains_it(model: str, nodes: int) -> None:
    plan = training_plan("test.plan.json", _document(model, nodes))
    cluster = made_cluster(
        compute=[
            {
                "name": "controller",
                "role": "controller",
                "instance_type": "m5.4xlarge",
                "count": 1,
            },
            {"name": "h", "role": "compute", "instance_type": "p5.48xlarge", "count": nodes},
        ],
        slurm={"configuration": "scripted", "partitions": [{"name": "gpu", "groups": ["h"]}]},
    )
    able, hints = [], {}
    for job in TRAINING:
        template = template_named(job)
        try:
            given = required_settings(template)
            render(cluster, load_catalog(), template, given, plan, NOW)
            able.append(job)
        except RefusedError as error:
            hints[job] = str(error.hint)
    assert able, hints
    for job, hint in hints.items():
        named = re.match(r"render (.*?)(,|$)", hint)
        if named is not None:
            assert set(named[1].split(" or ")) & set(able), f"{job}: {hint}"


def test_megatron_lm_takes_the_next_layout_and_says_so() -> None:
    plan = _layouts(
        {},
        {"context": 2, "data": 16},
        {"tensor": 4, "pipeline": 2, "data": 4, "accumulation": 8, **OPTIMIZER},
    )
    text = rendered("megatron-lm", plan=plan)
    words = arguments_of(text)
    assert words["--tensor-model-parallel-size"] == "4"
    assert words["--pipeline-model-parallel-size"] == "2"
    assert words["--global-batch-size"] == "64"
    # 9,000 steps of 256 sequences.
    assert words["--train-iters"] == "36000"
    assert "--use-distributed-optimizer" in text
    heading = " ".join(re.findall(r"^# (.*)", text.partition("set -o errexit")[0], re.MULTILINE))
    assert (
        "The plan's layout layout 0 is fully sharded, and arguments of Megatron-LM shard the "
        "optimizer only. This job has the plan's next that can run, layout 2: the plan expects "
        "it to be 21 % slower." in heading
    )
    assert findings(text) == []
    done = render(made_cluster(), load_catalog(), template_named("megatron-lm"), {}, plan, NOW)
    assert any("21 % slower" in note for note in done.notes)


def test_the_layout_divides_the_nodes_and_the_layers() -> None:
    plan = _layouts(
        {},
        {"pipeline": 31, "data": 8, **OPTIMIZER},  # 32 layers
        {"tensor": 8, "pipeline": 8, "data": 1, **OPTIMIZER},  # 64 accelerators
        {"tensor": 8, "data": 4, **OPTIMIZER},
    )
    assert "This job has the plan's next that can run, layout 3" in rendered(
        "megatron-lm", plan=plan
    ).replace("\n# ", " ")


def test_other_jobs_with_megatron_s_arguments() -> None:
    plan = _layouts({}, {"tensor": 4, "data": 8, **OPTIMIZER})
    assert "model.tensor_model_parallel_size=4" in rendered("megatron-bridge", plan=plan)
    text = rendered(
        "continued-pretraining",
        plan=_layouts({}, {"tensor": 4, "data": 8, **OPTIMIZER}, kind="continued"),
        base="/fsx/base",
        replay="/fsx/replay",
    )
    assert "--tensor-model-parallel-size=4" in text


def test_a_data_parallel_program_takes_a_data_parallel_layout() -> None:
    plan = _layouts({"tensor": 8, "data": 4, "text": "TP8 DP4"}, {"accumulation": 2})
    text = rendered("fsdp2", plan=plan)
    assert "--micro-batch=2 --accumulation=2" in text
    assert "10 % slower" in text.replace("\n# ", " ")


def test_a_framework_that_runs_the_chosen_layout_keeps_it() -> None:
    plan = _layouts({}, {"tensor": 4, "data": 8, **OPTIMIZER})
    text = rendered("torchtitan", plan=plan, tokenizer="/fsx/llama")
    assert "data_parallel_shard_degree = 32" in text
    assert "This job has" not in text


def test_days_that_the_plan_does_not_state() -> None:
    document = plan_document()
    other = json.loads(json.dumps(document["candidates"][0]))
    other["chosen"] = False
    other["layout"] |= {"tensor": 8, "data": 4, "text": "TP8", **OPTIMIZER}
    plan = made_plan(candidates=[*document["candidates"], other])
    text = rendered("megatron-lm", plan=plan).replace("\n# ", " ")
    assert "TP8: by how much it is slower is not in the plan." in text


def test_an_uneven_pipeline_has_its_own_first_and_last_stage() -> None:
    # 32 layers; the settings of the file are those of an earlier version.
    plan = _layouts({"tensor": 1, "pipeline": 3, "data": 11, **OPTIMIZER}, nodes=None)
    done = for_framework(plan, template_named("megatron-lm"), 33)
    assert "--decoder-first-pipeline-num-layers=11" in done.megatron
    assert "--decoder-last-pipeline-num-layers=10" in done.megatron
    assert done.nemo["model"]["num_layers_in_first_pipeline_stage"] == 11
    assert done.layout is plan.layout
    assert done.instead is None


def test_a_pipeline_that_no_stages_fit_is_refused_with_the_nearest() -> None:
    plan = _layouts({"tensor": 1, "pipeline": 32, "data": 1, **OPTIMIZER})
    words = [w for w in plan.megatron if not w.startswith("--num-layers=")]
    plan = replace(plan, megatron=("--num-layers=61", *words))
    with pytest.raises(RefusedError, match="32 stages, which do not divide 61") as refusal:
        rendered("megatron-lm", plan=plan)
    assert "the nearest that runs has 16 stages" in str(refusal.value.hint)


def test_a_plan_of_deepseek_has_its_chosen_pipeline() -> None:
    plan = training_plan("test.plan.json", _document("deepseek-v3", 64))
    edges = edge_layers(61, int(plan.layout.get("pipeline", 1)))
    words = {word.partition("=")[0]: word.partition("=")[2] for word in plan.megatron}
    named = words.get("--decoder-first-pipeline-num-layers")
    assert named == (None if edges is None else str(edges[0]))
