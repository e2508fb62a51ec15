"""Conversion of checkpoints: the tool is a substitute that writes safetensors."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from tests.job_templates.checkpoint_files import SHAPES, safetensors
from tests.job_templates.programs.loading import PROGRAMS, program

convert = program("convert_checkpoint", PROGRAMS)

_TOOL = """
import json, os, pathlib, shutil, sys
positional = [word for word in sys.argv[1:] if not word.startswith("--")]
named = dict(word[2:].partition("=")[::2] for word in sys.argv[1:] if word.startswith("--"))
output = pathlib.Path(named.get("hf-path") or positional[1])
pathlib.Path("@@/arguments").write_text(json.dumps([sys.argv[1:], os.environ["PYTHONPATH"]]))
shutil.copy("@@/made.safetensors", output / "model.safetensors")
sys.exit(int(pathlib.Path("@@/code").read_text()))
"""


@pytest.fixture
def world(tmp_path: Path) -> Path:
    for step in (90, 100):
        (tmp_path / f"run/step-{step}").mkdir(parents=True)
        (tmp_path / f"run/step-{step}/.metadata").touch()
    (tmp_path / "run/step-110").mkdir()
    safetensors(tmp_path / "reference/model.safetensors", SHAPES)
    (tmp_path / "reference/config.json").write_text('{"model_type": "llama"}')
    (tmp_path / "reference/tokenizer.json").write_text("{}")
    safetensors(tmp_path / "made.safetensors", SHAPES)
    (tmp_path / "code").write_text("0")
    for name in (
        "scripts/checkpoint_conversion/convert_to_hf.py",
        "scripts/conversion/run_conversion.py",
    ):
        path = tmp_path / "checkout" / name
        path.parent.mkdir(parents=True)
        path.write_text(_TOOL.replace("@@", str(tmp_path)))
    return tmp_path


def run(world: Path, *more: str, kind: str = "torchtitan") -> int:
    code: int = convert.main([
        str(world / "run"), str(world / "out"), f"--kind={kind}",
        f"--checkout={world}/checkout", f"--reference={world}/reference",
        "--model-name=llama3", "--model-flavor=8B", *more,
    ])  # fmt: skip
    return code


def test_the_newest_whole_checkpoint(world: Path) -> None:
    assert run(world) == 0
    assert [path.name for path in (world / "out").iterdir()] == ["step-100"]
    report = json.loads((world / "out/step-100/conversion.json").read_text())
    assert (report["tensors"], report["parameters"]) == (2, 36)
    assert (world / "out/step-100/config.json").read_text() == '{"model_type": "llama"}'
    words, path = json.loads((world / "arguments").read_text())
    assert words[:2] == [f"{world}/run/step-100", f"{world}/out/.converting-step-100"]
    assert set(words[2:]) == {
        f"--hf_assets_path={world}/reference",
        "--model_name=llama3",
        "--model_flavor=8B",
        "--export_dtype=bfloat16",
    }
    assert path.split(":")[0] == f"{world}/checkout"


def test_nothing_is_overwritten(world: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(world) == 0
    (world / "arguments").unlink()
    assert run(world) == 0
    assert not (world / "arguments").exists()
    (world / "out/step-100/conversion.json").unlink()
    assert run(world) == 92
    assert "exists, and has no conversion.json: nothing is overwritten" in capsys.readouterr().out


def test_what_an_interrupted_job_left_is_replaced(world: Path) -> None:
    safetensors(world / "out/.converting-step-100/old.safetensors", {"other": [1]})
    assert run(world) == 0
    assert not (world / "out/step-100/old.safetensors").exists()


@pytest.mark.parametrize(
    ("shapes", "message"),
    [
        ({"embedding": [8, 4]}, "1 tensors with 32 parameters, and 2 with 36 are of"),
        ({"embedding": [8, 4], "other": [4]}, "the tensor norm has another name or shape"),
        ({"embedding": [4, 8], "norm": [4]}, "the tensor embedding has another name or shape"),
        ({}, "0 tensors with 0 parameters"),
    ],
)
def test_another_result_is_refused(
    world: Path, shapes: dict[str, list[int]], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    safetensors(world / "made.safetensors", shapes)
    assert run(world) == 1
    assert message in capsys.readouterr().out
    assert not (world / "out/step-100").exists()


def test_stated_numbers(world: Path) -> None:
    (world / "reference/model.safetensors").unlink()
    assert run(world) == 92
    assert run(world, "--tensors=2", "--parameters=37") == 1
    assert run(world, "--tensors=2", "--parameters=36") == 0


def test_a_truncated_file_and_an_index_of_other_tensors(
    world: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made = world / "made.safetensors"
    whole = made.read_bytes()
    made.write_bytes(whole[:-1])
    assert run(world) == 1
    assert "and its header says" in capsys.readouterr().out
    made.write_bytes(b"\xff" * 40)
    assert run(world) == 1
    assert "is no whole file of safetensors" in capsys.readouterr().out
    made.write_bytes(whole)
    index = world / "reference/model.safetensors.index.json"
    index.write_text(json.dumps({"weight_map": {"embedding": "model.safetensors"}}))
    assert run(world) == 1
    assert "differ in norm" in capsys.readouterr().out


def test_the_tool_fails(world: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (world / "code").write_text("3")
    assert run(world) == 1
    assert "the tool ended with 3" in capsys.readouterr().out
    assert not (world / "out/step-100").exists()


def test_megatron_bridge(world: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(world, kind="megatron-bridge") == 92
    assert "has no run_config.yaml" in capsys.readouterr().out
    (world / "run/step-100/run_config.yaml").touch()
    assert run(world, kind="megatron-bridge") == 0
    words, path = json.loads((world / "arguments").read_text())
    assert set(words) == {
        "export",
        "--device=cpu",
        f"--hf-model={world}/reference",
        f"--megatron-path={world}/run/step-100",
        f"--hf-path={world}/out/.converting-step-100",
        "--torch-dtype=bfloat16",
        "--no-progress",
    }
    assert path.split(":")[:2] == [
        f"{world}/checkout/src",
        f"{world}/checkout/3rdparty/Megatron-LM",
    ]


def test_what_is_missing(world: Path) -> None:
    (world / "reference/config.json").unlink()
    assert run(world) == 92
    (world / "reference/config.json").touch()
    (world / "checkout").rename(world / "elsewhere")
    assert run(world) == 92
    (world / "run").rename(world / "other")
    assert run(world) == 92
    assert sys.modules["checkpoint_cleanup"].newest(world / "other", "no-such") is None
