"""Megatron-Bridge: the recipe of the model, the layout of the plan, names of the launcher."""

from __future__ import annotations

import re

import pytest

from clusterwright.job_templates.template import RefusedError
from tests.job_templates.framework_names import BRIDGE
from tests.job_templates.made import (
    findings,
    made_plan,
    plan_document,
    rendered,
    tensor_parallel_plan,
)
from tests.job_templates.pods import pod_script


def words(text: str) -> dict[str, str]:
    """Options and overrides of the launcher by name."""
    step = text.partition('run_recipe.py" \\\n')[2].partition(" &\n")[0]
    found = re.findall(r'^ +"?([a-z_.-]+)=(.*?)"?(?: \\)?$', step, re.MULTILINE)
    assert len(found) == len(dict(found)) == step.count("\n") + 1
    return dict(found)


def test_the_recipe_and_the_layout_without_a_plan() -> None:
    text = rendered("megatron-bridge", model="llama-3.1-70b", nodes="4", accumulation="16")
    found = words(text)
    assert found["--recipe"] == "llama31_70b_pretrain_config"
    assert found["--load_dir"] == found["--save_dir"] == '"$CHECKPOINTS'
    assert found["model.tensor_model_parallel_size"] == "8"
    assert found["model.sequence_parallel"] == "true"
    # What the recipe had for its own layout.
    assert found["model.virtual_pipeline_model_parallel_size"] == "null"
    assert (found["train.micro_batch_size"], found["train.global_batch_size"]) == ("1", "64")
    assert found["dataset.data_path"] == "[$DATA_PATH]"
    assert "SAVE_SIGNAL=TERM\n" in text
    assert "TRACKER=latest_checkpointed_iteration.txt\n" in text
    assert findings(text) == []


@pytest.mark.parametrize(
    "precision",
    ["bf16_with_fp8_current_scaling_mixed", {"recipe": "bf16_with_fp8_hybrid"}],
    ids=["name", "former plan"],
)
def test_the_layout_of_a_plan(precision: object) -> None:
    launch = plan_document()["launch"] | {
        "nemo": {
            "model": {
                "tensor_model_parallel_size": 8,
                "pipeline_model_parallel_size": 2,
                "recompute_granularity": "selective",
                "seq_length": 4096,
            },
            "mixed_precision": precision,
        }
    }
    found = words(rendered("megatron-bridge", plan=tensor_parallel_plan(launch=launch)))
    assert found["model.pipeline_model_parallel_size"] == "2"
    assert found["model.recompute_granularity"] == "selective"
    assert found["model.recompute_method"] == "null"
    assert found["mixed_precision"] == "bf16_with_fp8_current_scaling_mixed"
    assert found["train.train_iters"] == "9000"
    assert found["checkpoint.most_recent_k"] == "3"
    assert "model.seq_length" not in found


def test_every_name_is_one_of_megatron_bridge() -> None:
    for text in (
        rendered("megatron-bridge"),
        rendered("megatron-bridge", tokenizer="/fsx/tokenizer"),
        rendered("megatron-bridge", model="qwen3-30b-a3b"),
        rendered("megatron-bridge", plan=tensor_parallel_plan()),
    ):
        assert set(words(text)) <= BRIDGE


def test_a_model_without_a_recipe() -> None:
    with pytest.raises(RefusedError, match="no recipe for falcon-40b") as error:
        rendered("megatron-bridge", model="falcon-40b")
    assert error.value.hint is not None
    assert "megatron-lm" in error.value.hint
    text = rendered("megatron-bridge", model="falcon-40b", recipe="acme_pretrain_config")
    assert words(text)["--recipe"] == "acme_pretrain_config"


def test_a_fully_sharded_plan_without_another_layout_is_refused() -> None:
    with pytest.raises(RefusedError, match="is fully sharded"):
        rendered("megatron-bridge", plan=made_plan())


def test_on_kubernetes() -> None:
    script = pod_script("megatron-bridge", steps="50")
    assert 'torchrun --max-restarts=0 "$BRIDGE/scripts/training/run_recipe.py" \\\n' in script
    assert "SAVE_SIGNAL=TERM\nLAST_STEP=50\n" in script
    assert "prune_while_running &" not in script.partition("begin_training\n\n")[2]
