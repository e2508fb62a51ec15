"""The layout sweep: one task of an array per layout of the plan."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from clusterwright.job_templates.plan import TrainingPlan
from clusterwright.job_templates.settings import SettingError
from clusterwright.job_templates.template import RefusedError
from tests.job_templates.framework_names import MEGATRON
from tests.job_templates.made import findings, made_plan, plan_document, rendered


def _plan(*layouts: dict[str, Any]) -> TrainingPlan:
    chosen: dict[str, Any] = plan_document()["candidates"][0]
    base = {**chosen["layout"], "sharding": "distributed-optimizer", "recompute_share": 1.0}
    candidates = [
        {**chosen, "chosen": number == 0, "layout": {**base, "text": str(number), **layout}}
        for number, layout in enumerate(layouts)
    ]
    other = {**candidates[-1], "instance_type": "p4d.24xlarge", "chosen": False}
    other["layout"] = {**base, "tensor": 2, "data": 16, "text": "of another type"}
    return made_plan(candidates=[*candidates, other])


TWO = ({"tensor": 8, "data": 4}, {"tensor": 4, "pipeline": 2, "data": 4, "accumulation": 8})


def test_the_layouts_of_the_plan_one_after_another() -> None:
    text = rendered("layout-sweep", plan=_plan(*TWO))
    assert "#SBATCH --array=1-2%1\n" in text
    assert "#SBATCH --nodes=4\n" in text
    assert "#SBATCH --exclusive\n" in text
    assert "export FI_PROVIDER=efa\n" in text
    assert re.findall(r"LAYOUT=(\S+)", text) == [
        "TP8-DP4-MBS2-distributed-optimizer-recompute-selective",
        "TP4-PP2-DP4-MBS2-distributed-optimizer-recompute-selective",
    ]
    assert re.findall(r"--global-batch-size=(\d+)", text) == ["32", "64"]
    assert re.findall(r"--train-iters=(\d+)", text) == ["30", "30"]
    assert "--save" not in text
    assert "# Sizes are those of test.plan.json." in text
    assert findings(text) == []


def test_layouts_that_are_left_out_are_named() -> None:
    text = rendered("layout-sweep", plan=_plan({"sharding": "fsdp", "data": 32}, *TWO))
    assert "#SBATCH --array=1-2%1\n" in text
    heading = " ".join(re.findall(r"^# (.*)", text.partition("set -o errexit")[0], re.MULTILINE))
    assert (
        "Left out: 0, which is fully sharded, and arguments of Megatron-LM shard the optimizer "
        "only." in heading
    )
    assert heading.count("Left out") == 1


def test_each_layout_is_written_beside_its_log() -> None:
    text = rendered("layout-sweep", plan=_plan(*TWO))
    assert 'printf "%s\\n" "$LAYOUT_JSON" >"$RUN_PATH/layout.json"' in text
    found = [json.loads(each) for each in re.findall(r"LAYOUT_JSON='(.*)'", text)]
    planned = [
        {key: value for key, value in each.items() if key != "text"}
        for each in _plan(*TWO).layouts
    ]
    assert found == planned


def test_every_argument_is_one_of_megatron_lm() -> None:
    text = rendered("layout-sweep", plan=_plan(*TWO))
    names = set(re.findall(r"^      '?(--[a-z0-9-]+)", text, re.MULTILINE))
    assert len(names) > 30
    assert names <= MEGATRON


def test_without_a_plan_sizes_of_tensor_parallelism() -> None:
    text = rendered("layout-sweep", layouts="3", nodes="2")
    assert "#SBATCH --array=1-3%1\n" in text
    assert re.findall(r"--tensor-model-parallel-size=(\d+)", text) == ["8", "4", "2"]
    with pytest.raises(SettingError, match="unknown model 'llama-9'"):
        rendered("layout-sweep", model="llama-9")


def test_refusals() -> None:
    with pytest.raises(RefusedError, match=r"plan: DP32 .* is fully sharded") as e:
        rendered("layout-sweep", plan=made_plan())
    assert e.value.hint == "render torchtitan or fsdp2"
    with pytest.raises(RefusedError, match="no layout of the plan uses the 16 accelerators") as e:
        rendered("layout-sweep", plan=_plan(*TWO), nodes="2")
    assert e.value.hint == "--set nodes=4"
    unknown = _plan(*TWO).__class__(**{**vars(_plan(*TWO)), "model": {"name": "acme-7b"}})
    with pytest.raises(RefusedError, match="acme-7b, whose shape is not in the list"):
        rendered("layout-sweep", plan=unknown)
