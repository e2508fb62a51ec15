"""Fine-tuning with TRL: arguments, memory by the planner's arithmetic, plans of the kind."""

from __future__ import annotations

import re
from typing import Any

import pytest

from clusterwright.job_templates.settings import SettingError
from clusterwright.job_templates.template import RefusedError
from tests.job_templates.framework_names import TRL
from tests.job_templates.made import findings, made_cluster, made_plan, rendered

GIVEN = {"weights": "/fsx/models/llama", "dataset": "/fsx/data/chat"}
JOBS = ("sft", "lora", "qlora")


def _arguments(text: str) -> dict[str, str]:
    step = text.rpartition('trl_sft.py" \\\n')[2].partition("STEP_PID")[0]
    found = re.findall(r"^  (--[a-zA-Z0-9_]+)(?:=(\S+))?", step, re.MULTILINE)
    assert len(found) == len(dict(found))
    return dict(found)


@pytest.mark.parametrize("job", JOBS)
def test_every_argument_is_one_of_trl(job: str) -> None:
    text = rendered(job, **GIVEN)
    assert set(_arguments(text)) <= TRL
    assert findings(text) == []
    assert "#SBATCH --nodes=1\n" in text
    assert "MARKER=complete\n" in text
    assert "SAVE_SIGNAL=USR1\n" in text


def test_all_parameters_are_sharded() -> None:
    text = rendered("sft", **GIVEN)
    words = _arguments(text)
    # `--fsdp` has no value: "true" is refused as an old option.
    assert words["--fsdp"] == ""
    assert "export ACCELERATE_USE_FSDP=true\n" in text
    assert "--use_peft" not in words


def test_adapters_and_their_model() -> None:
    lora = _arguments(rendered("lora", rank="8", alpha="16", **GIVEN))
    assert (lora["--lora_r"], lora["--lora_alpha"], lora["--dtype"]) == ("8", "16", "bfloat16")
    assert "--fsdp" not in lora
    assert "--load_in_4bit" not in lora
    assert _arguments(rendered("qlora", **GIVEN))["--load_in_4bit"] == "true"


def test_memory() -> None:
    # 70.6e9 parameters: 18 bytes of each over 8 GPUs are 148 GiB, 2 bytes whole are 131 GiB, and
    # half a byte is 34 GiB.
    with pytest.raises(RefusedError, match=r"needs 16\d GiB on each of 8 GPUs") as error:
        rendered("sft", model="llama-3.1-70b", **GIVEN)
    assert error.value.hint == "more nodes, shorter sequences, or render lora"
    assert rendered("sft", model="llama-3.1-70b", nodes="4", **GIVEN)
    with pytest.raises(RefusedError, match=r"needs 14\d GiB on each of 8 GPUs"):
        rendered("lora", model="llama-3.1-70b", **GIVEN)
    assert rendered("qlora", model="llama-3.1-70b", **GIVEN)
    with pytest.raises(RefusedError, match=r"and p5\.48xlarge has 80, of which 10 % stay free"):
        rendered("qlora", model="llama-3.1-405b", **GIVEN)


def _large(instance_type: str) -> Any:
    compute = [
        {"name": "controller", "role": "controller", "instance_type": "m5.4xlarge", "count": 1},
        {"name": "many", "role": "compute", "instance_type": instance_type, "count": 64},
    ]
    partitions = [{"name": "gpu", "groups": ["many"]}]
    return made_cluster(
        compute=compute, slurm={"configuration": "scripted", "partitions": partitions}
    )


def test_the_node_that_loads_the_model() -> None:
    # 405e9 x 4 bytes are 1,510 GiB, and the nodes have 2,048 and 1,152.
    given = {"model": "llama-3.1-405b", "nodes": "64", **GIVEN}
    assert rendered("sft", _large("p5.48xlarge"), **given)
    with pytest.raises(
        RefusedError, match=r"one process of each node loads llama3\.1-405b in FP32"
    ):
        rendered("sft", _large("p4de.24xlarge"), **given)


def test_sizes_of_the_plan() -> None:
    text = rendered("lora", plan=made_plan(kind="lora"), **GIVEN)
    words = _arguments(text)
    assert (words["--max_length"], words["--max_steps"]) == ("4096", "9000")
    assert (words["--save_steps"], words["--save_total_limit"]) == ("250", "3")
    assert "#SBATCH --nodes=4\n" in text
    with pytest.raises(RefusedError, match=r"test\.plan\.json is a plan of kind from-scratch"):
        rendered("lora", plan=made_plan(), **GIVEN)
    with pytest.raises(RefusedError, match="the plan is for mine, whose shape is not in the list"):
        rendered("lora", plan=made_plan(kind="lora", model={"name": "mine"}), **GIVEN)


def test_settings() -> None:
    with pytest.raises(RefusedError, match="sft needs the setting dataset"):
        rendered("sft", weights="/fsx/models/llama")
    with pytest.raises(SettingError, match="unknown model 'llama-9'"):
        rendered("sft", model="llama-9", **GIVEN)
