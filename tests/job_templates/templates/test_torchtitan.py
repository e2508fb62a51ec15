"""torchtitan: the plan's settings as a TOML file of its keys."""

from __future__ import annotations

import tomllib
from typing import Any

import pytest

from clusterwright.job_templates.template import RefusedError
from tests.job_templates.framework_names import TORCHTITAN
from tests.job_templates.made import findings, made_plan, rendered, tensor_parallel_plan

TOKENIZER = "/fsx/models/llama"


def _toml(text: str) -> dict[str, dict[str, Any]]:
    inside = text.partition("<<'END_OF_TORCHTITAN_TOML'\n")[2]
    return tomllib.loads(inside.partition("END_OF_TORCHTITAN_TOML")[0])


def test_settings_of_the_plan() -> None:
    text = rendered("torchtitan", plan=made_plan(), tokenizer=TOKENIZER)
    found = _toml(text)
    assert found["model"] == {"name": "llama3", "flavor": "8B", "hf_assets_path": TOKENIZER}
    assert found["training"]["seq_len"] == 4096
    assert found["training"]["local_batch_size"] == 2
    assert found["training"]["global_batch_size"] == 256
    assert found["parallelism"]["data_parallel_shard_degree"] == 32
    assert found["checkpoint"]["interval"] == 250
    assert found["checkpoint"]["keep_latest_k"] == 3
    assert found["checkpoint"]["folder"] == "/fsx/checkpoints/torchtitan"
    # Without a signal that saves: the 900 s between two checkpoints, two saves, five minutes.
    assert "#SBATCH --signal=B:USR1@1680\n" in text
    assert "SAVE_SIGNAL=\n" in text


def test_without_a_plan_the_model_is_fully_sharded() -> None:
    found = _toml(rendered("torchtitan", tokenizer=TOKENIZER, nodes="2", steps="20"))
    assert found["parallelism"]["tensor_parallel_degree"] == 1
    assert found["parallelism"]["data_parallel_shard_degree"] == 16
    assert found["training"]["global_batch_size"] == 16
    assert found["lr_scheduler"]["warmup_steps"] == 20


def test_a_pipeline_divides_the_local_batch() -> None:
    found = _toml(rendered("torchtitan", plan=tensor_parallel_plan(), tokenizer=TOKENIZER))
    assert found["training"]["local_batch_size"] == 128
    assert found["parallelism"]["pipeline_parallel_microbatch_size"] == 2


@pytest.mark.parametrize("plan", [made_plan(), tensor_parallel_plan(), None])
def test_every_key_is_one_of_torchtitan(plan: Any) -> None:
    text = rendered("torchtitan", plan=plan, tokenizer=TOKENIZER)
    names = {f"{section}.{key}" for section, keys in _toml(text).items() for key in keys}
    assert names <= TORCHTITAN
    assert findings(text) == []


def test_models() -> None:
    with pytest.raises(RefusedError, match=r"torchtitan 0\.2\.2 has no gpt3-175b"):
        rendered("torchtitan", tokenizer=TOKENIZER, model="gpt3-175b")
    found = _toml(rendered("torchtitan", tokenizer=TOKENIZER, flavor="qwen3/0.6B"))
    assert (found["model"]["name"], found["model"]["flavor"]) == ("qwen3", "0.6B")
    with pytest.raises(RefusedError, match="is not NAME/FLAVOR"):
        rendered("torchtitan", tokenizer=TOKENIZER, flavor="8B")


def test_the_tokenizer_is_required() -> None:
    with pytest.raises(RefusedError, match="torchtitan needs the setting tokenizer"):
        rendered("torchtitan")
