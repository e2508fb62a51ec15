"""FSDP2: sizes of the plan or of a model, and the program in the job file."""

from __future__ import annotations

import ast
from typing import Any

import pytest

from clusterwright.job_templates.settings import SettingError
from clusterwright.job_templates.template import RefusedError
from clusterwright.job_templates.templates.fsdp2 import program
from tests.job_templates.made import made_plan, plan_document, rendered


def test_sizes_of_a_model() -> None:
    text = rendered("fsdp2", model="llama-3.1-70b", steps="10", save_every="5", nodes="2")
    assert "--layers=80 --hidden=8192 --ffn=28672" in text
    assert "--steps=10 --save-every=5 --keep=2" in text
    assert "# Without a plan: the sizes are defaults, not a recommendation." in text
    assert "EXPECT_EFA=1\n" in text
    assert "CHECKPOINTS=/fsx/checkpoints/fsdp2\n" in text


def test_sizes_of_the_plan() -> None:
    text = rendered("fsdp2", plan=made_plan())
    assert "#SBATCH --nodes=4\n" in text
    assert "--seq-len=4096 --micro-batch=2 --accumulation=4" in text
    assert "--steps=9000 --save-every=250 --keep=3" in text
    # Twice the 240 s of a save, and five minutes.
    assert "#SBATCH --signal=B:USR1@780\n" in text
    assert "# Sizes are those of test.plan.json." in text


def test_a_layout_that_is_not_data_parallel_is_refused() -> None:
    document: dict[str, Any] = plan_document()
    document["candidates"][0]["layout"] |= {"tensor": 8, "text": "TP8 DP4"}
    with pytest.raises(RefusedError, match="the plan's layout is TP8 DP4"):
        rendered("fsdp2", plan=made_plan(candidates=document["candidates"]))


def test_models() -> None:
    with pytest.raises(SettingError, match="unknown model 'llama-9'"):
        rendered("fsdp2", model="llama-9")
    with pytest.raises(RefusedError, match="trains dense models"):
        rendered("fsdp2", model="deepseek-v3")


def test_the_program_is_a_part_of_the_file() -> None:
    text = rendered("fsdp2")
    assert program().rstrip() in text
    assert "END_OF_" not in program()
    tree = ast.parse(program())
    names = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
    assert {"main", "saved", "resumed", "on_signal"} <= names


def test_an_own_program() -> None:
    text = rendered("fsdp2", program="/fsx/train.py")
    assert "python /fsx/train.py" in text
    assert "class Attention" not in text
