"""Continued pre-training: the blend of new and earlier data, and the weights to go on from."""

from __future__ import annotations

from pathlib import Path

import pytest

from clusterwright.job_templates.settings import SettingError
from clusterwright.job_templates.template import RefusedError
from tests.job_templates.framework_names import MEGATRON
from tests.job_templates.made import findings, rendered, shell, tensor_parallel_plan
from tests.job_templates.megatron_words import arguments_of
from tests.job_templates.pods import pod_script

GIVEN = {"base": "/fsx/checkpoints/base", "replay": "/fsx/data/replay"}


def blend(folder: Path, **given: str) -> tuple[int, str]:
    """Run the lines that make the blend. Returns the exit code and DATA, a word a line."""
    text = rendered("continued-pretraining", **GIVEN | given).replace("/fsx", str(folder))
    lines = text.partition("BASE=")[2].partition("cat >")[0]
    script = "\n".join(
        (
            "set -o errexit -o nounset -o pipefail",
            "EXIT_ENVIRONMENT=92",
            'fail() { echo "$2"; exit "$1"; }',
            f"BASE={lines}",
            'printf "%s\\n" "${DATA[@]}"',
        )
    )
    done = shell(script, folder)
    assert done.stderr == ""
    return done.returncode, done.stdout


def tokens(folder: Path, name: str, kib: int) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.idx").touch()
    (folder / f"{name}.bin").write_bytes(b"\0" * 1024 * kib)


@pytest.fixture
def world(tmp_path: Path) -> Path:
    base = tmp_path / "checkpoints/base"
    base.mkdir(parents=True)
    (base / "latest_checkpointed_iteration.txt").write_text("1000")
    tokens(tmp_path / "data/megatron", "a", 300)
    tokens(tmp_path / "data/megatron", "b", 100)
    tokens(tmp_path / "data/replay", "old", 7000)
    return tmp_path


def test_weights_are_the_shares_by_size(world: Path) -> None:
    code, output = blend(world, replay_percent="20")
    assert code == 0, output
    words = output.split()
    pairs = zip(words[::2], words[1::2], strict=True)
    weights = {Path(name).name: int(weight) for weight, name in pairs}
    total = sum(weights.values())
    # 20 % are earlier data, however many there are; 80 % are new, in the proportion 3 to 1.
    assert weights["old"] / total == pytest.approx(0.2, abs=0.001)
    assert weights["a"] / total == pytest.approx(0.6, abs=0.002)
    assert weights["b"] / total == pytest.approx(0.2, abs=0.002)


def test_a_folder_without_tokens_ends_the_job(world: Path) -> None:
    (world / "data/replay/old.bin").write_bytes(b"")
    code, output = blend(world)
    assert (code, "replay has no *.idx with tokens" in output) == (92, True)


def test_a_base_without_a_checkpoint_ends_the_job(world: Path) -> None:
    (world / "checkpoints/base/latest_checkpointed_iteration.txt").unlink()
    code, output = blend(world)
    assert (code, "is no folder of checkpoints of Megatron-LM" in output) == (92, True)


def test_the_weights_are_loaded_by_the_first_start_only() -> None:
    text = rendered("continued-pretraining", **GIVEN)
    words = arguments_of(text)
    assert words["--pretrained-checkpoint"] == '"$BASE"'
    assert words["--load"] == words["--save"] == '"$CHECKPOINTS"'
    assert set(words) <= MEGATRON
    assert findings(text) == []


def test_settings_that_contradict_each_other() -> None:
    with pytest.raises(SettingError, match="100, and new data are a part too"):
        rendered("continued-pretraining", **GIVEN, replay_percent="100")
    with pytest.raises(SettingError, match="is the folder of the new data"):
        rendered("continued-pretraining", base="/fsx/base", replay="/fsx/data/megatron")
    with pytest.raises(RefusedError, match="is a plan of kind from-scratch"):
        rendered("continued-pretraining", plan=tensor_parallel_plan(), **GIVEN)
    plan = tensor_parallel_plan(kind="continued")
    assert "--train-iters=9000" in rendered("continued-pretraining", plan=plan, **GIVEN)


def test_on_kubernetes() -> None:
    script = pod_script("continued-pretraining", **GIVEN, steps="50")
    assert "blend /fsx/data/replay 5\n" in script
    assert '--pretrained-checkpoint="$BASE"' in script
    assert '--data-path "${DATA[@]}" &' in script
