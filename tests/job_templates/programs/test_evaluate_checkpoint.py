"""Evaluation of checkpoints: the harness is a substitute that writes its form of results."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.job_templates.programs.loading import PROGRAMS, program

evaluate = program("evaluate_checkpoint", PROGRAMS)

_HARNESS = """
import json, pathlib, sys
words = sys.argv[1:]
assert words[0] == "run"
named = dict(zip(words[1::2], words[2::2]))
path = pathlib.Path(named["--output_path"])
with open("@@/calls", "a") as log:
    log.write(json.dumps(named) + "\\n")
text = pathlib.Path("@@/answer").read_text()
if text:
    path.with_name(f"{path.stem}_2026-11-24T10-00-00.json").write_text(text)
"""
ANSWER = {"results": {"arc_easy": {"acc,none": 0.25}}, "versions": {"arc_easy": 1}}


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for step in (90, 100, 110):
        folder = tmp_path / f"run/step-{step}"
        folder.mkdir(parents=True)
        (folder / "config.json").touch()
        if step != 110:
            (folder / "conversion.json").touch()
    package = tmp_path / "packages/lm_eval"
    package.mkdir(parents=True)
    (package / "__init__.py").touch()
    (package / "__main__.py").write_text(_HARNESS.replace("@@", str(tmp_path)))
    (tmp_path / "answer").write_text(json.dumps(ANSWER))
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "packages"))
    return tmp_path


def run(world: Path, *more: str) -> int:
    code: int = evaluate.main([
        str(world / "run"), f"--work={world}/scratch", "--tasks=arc_easy,hellaswag", *more,
    ])  # fmt: skip
    return code


def test_results_beside_the_newest_whole_checkpoint(world: Path) -> None:
    assert run(world, "--parallelize") == 0
    path = world / "run/step-100.evaluation-arc_easy+hellaswag.json"
    document = json.loads(path.read_text())
    assert document["harness"] == ANSWER
    assert document["checkpoint"] == f"{world}/run/step-100"
    assert json.loads((world / "calls").read_text()) == {
        "--model": "hf",
        "--model_args": f"pretrained={world}/run/step-100,dtype=auto,parallelize=True",
        "--tasks": "arc_easy,hellaswag",
        "--batch_size": "auto",
        "--output_path": f"{world}/scratch/evaluation/results.json",
    }


def test_a_checkpoint_is_evaluated_once(world: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(world) == 0
    assert run(world) == 0
    assert "this checkpoint is evaluated" in capsys.readouterr().out
    assert len((world / "calls").read_text().splitlines()) == 1
    assert run(world, "--num-fewshot=5", "--limit=10") == 0
    names = {path.name for path in (world / "run").glob("*.json")}
    assert "step-100.evaluation-arc_easy+hellaswag-5shot-limit10.json" in names


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ("", "the harness wrote 0 files of results"),
        ("{", "is not JSON"),
        ('{"results": {}}', "has no results"),
    ],
)
def test_no_results(
    world: Path, answer: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (world / "answer").write_text(answer)
    assert run(world) == 1
    assert message in capsys.readouterr().out
    assert not list((world / "run").glob("*.json"))


def test_what_is_missing(world: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (world / "packages/lm_eval/__main__.py").unlink()
    assert run(world) == 1
    assert "lm_eval ended with 1" in capsys.readouterr().out
    (world / "run/step-100/config.json").unlink()
    assert run(world) == 92
    assert "convert it with convert-checkpoint" in capsys.readouterr().out
    assert run(world, "--marker=other.json") == 92
