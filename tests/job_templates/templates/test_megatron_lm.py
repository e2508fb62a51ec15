"""Megatron-LM: arguments of the plan, layout by nodes, checkpoints by its tracker file."""

from __future__ import annotations

from pathlib import Path

import pytest

from clusterwright.job_templates.settings import SettingError
from clusterwright.job_templates.slurm import fragment
from clusterwright.job_templates.template import RefusedError
from tests.job_templates.framework_names import MEGATRON
from tests.job_templates.made import (
    findings,
    made_plan,
    rendered,
    shell,
    tensor_parallel_plan,
)
from tests.job_templates.megatron_words import arguments_of


def test_without_a_plan_tensor_parallelism_is_in_the_node() -> None:
    text = rendered("megatron-lm", model="llama-3.1-70b", nodes="4", steps="50")
    words = arguments_of(text)
    assert words["--tensor-model-parallel-size"] == "8"
    assert (words["--num-layers"], words["--global-batch-size"]) == ("80", "4")
    assert (words["--train-iters"], words["--lr-warmup-iters"]) == ("50", "49")
    assert "# Without a plan: the sizes are defaults, not a recommendation." in text
    assert findings(text) == []


def test_arguments_of_the_plan() -> None:
    text = rendered("megatron-lm", plan=tensor_parallel_plan())
    words = arguments_of(text)
    assert words["--num-layers"] == "32"
    assert (words["--save"], words["--load"]) == ('"$CHECKPOINTS"', '"$CHECKPOINTS"')
    # 256 sequences by the plan: micro-batch 2, and 2 data-parallel ranks on 4 nodes.
    assert (words["--micro-batch-size"], words["--global-batch-size"]) == ("2", "256")
    assert (words["--train-iters"], words["--save-interval"]) == ("9000", "250")
    assert "KEEP=3\n" in text
    assert "SAVE_SIGNAL=TERM\n" in text
    assert "--exit-signal-handler \\\n" in text


def test_every_argument_is_one_of_megatron_lm() -> None:
    for text in (
        rendered("megatron-lm"),
        rendered("megatron-lm", model="gpt3-175b"),
        rendered("megatron-lm", model="deepseek-v3", tokenizer="/fsx/tokenizer"),
        rendered("megatron-lm", plan=tensor_parallel_plan()),
    ):
        assert set(arguments_of(text)) <= MEGATRON


def test_words_are_quoted() -> None:
    assert "'--moe-layer-freq=([0]*3+[1]*58)'" in rendered("megatron-lm", model="deepseek-v3")


def test_layers_that_are_not_gated_keep_the_defaults_of_megatron_lm() -> None:
    words = arguments_of(rendered("megatron-lm", model="gpt3-175b"))
    assert "--normalization" not in words
    assert "--swiglu" not in words


def test_a_fully_sharded_plan_without_another_layout_is_refused() -> None:
    with pytest.raises(RefusedError, match="DP32 MBS2 fsdp is fully sharded") as error:
        rendered("megatron-lm", plan=made_plan())
    assert error.value.hint == "render torchtitan or fsdp2"


def test_nodes_that_the_layout_does_not_divide_are_refused() -> None:
    with pytest.raises(RefusedError, match="needs a multiple of 16 accelerators") as error:
        rendered("megatron-lm", plan=tensor_parallel_plan(), nodes="5")
    assert error.value.hint == "--set nodes=4"
    with pytest.raises(RefusedError, match="256 sequences does not divide by micro-batch 2 x 3"):
        rendered("megatron-lm", plan=tensor_parallel_plan(), nodes="6")
    words = arguments_of(
        rendered("megatron-lm", plan=tensor_parallel_plan(), nodes="6", accumulation="40")
    )
    assert words["--global-batch-size"] == "240"


def test_an_unknown_model() -> None:
    with pytest.raises(SettingError, match="unknown model 'llama-9'"):
        rendered("megatron-lm", model="llama-9")
    unknown = tensor_parallel_plan(model={"name": "acme-7b"})
    with pytest.raises(RefusedError, match="acme-7b, whose vocabulary is not in the list"):
        rendered("megatron-lm", plan=unknown)
    assert "--tokenizer-model=/fsx/acme" in rendered(
        "megatron-lm", plan=unknown, tokenizer="/fsx/acme"
    )


def _tracked(folder: Path, commands: str) -> str:
    text = "\n".join(
        [
            "set -o errexit -o nounset -o pipefail",
            fragment("common"),
            f"CHECKPOINTS={folder}/checkpoints TRACKER=latest_checkpointed_iteration.txt KEEP=2",
            fragment("tracker"),
            commands,
        ]
    )
    done = shell(text, folder, SLURM_JOB_ID="7")
    assert done.returncode == 0, done.stderr
    return done.stdout


def _checkpoint(folder: Path, step: int, *, whole: bool = True) -> None:
    path = folder / "checkpoints" / f"iter_{step:07}"
    path.mkdir(parents=True)
    if whole:
        (path / ".metadata").touch()


def test_the_tracker_names_the_newest_checkpoint(tmp_path: Path) -> None:
    assert _tracked(tmp_path, "newest_checkpoint") == "-1"
    _checkpoint(tmp_path, 100)
    _checkpoint(tmp_path, 200)
    tracker = tmp_path / "checkpoints" / "latest_checkpointed_iteration.txt"
    for content, newest in (("100", "100"), ("0080\n", "80"), ("release", "-1"), ("", "-1")):
        tracker.write_text(content)
        assert _tracked(tmp_path, "newest_checkpoint") == newest


def test_the_newest_checkpoints_are_kept(tmp_path: Path) -> None:
    for step in (100, 200, 300, 400):
        _checkpoint(tmp_path, step)
    _checkpoint(tmp_path, 350, whole=False)
    _checkpoint(tmp_path, 500, whole=False)
    other = tmp_path / "checkpoints" / "converted"
    other.mkdir()
    (tmp_path / "checkpoints" / "latest_checkpointed_iteration.txt").write_text("400")
    out = _tracked(tmp_path, "prune_checkpoints")
    left = sorted(path.name for path in (tmp_path / "checkpoints").iterdir() if path.is_dir())
    # 350 is not whole and older than the tracker; 500 is being written.
    assert left == ["converted", "iter_0000300", "iter_0000400", "iter_0000500"]
    assert out.count("removing") == 3


def test_without_a_checkpoint_nothing_is_removed(tmp_path: Path) -> None:
    _checkpoint(tmp_path, 100, whole=False)
    assert _tracked(tmp_path, "prune_checkpoints") == ""
    assert (tmp_path / "checkpoints" / "iter_0000100").is_dir()
