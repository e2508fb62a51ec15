"""`clusterwright report layouts` as a user runs it, from the plan to the narrowed plan."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from clusterwright.json_output.schemas import schemas
from tests.support.command_line import clusterwright
from tests.support.goodput_reports import START
from tests.support.training_logs import BATCH, SEQ_LEN, WRITERS, Attempt

SPEC = Path(__file__).parents[2] / "configs/examples/p5-64.yaml"
RUN = ("plan", "--model", "llama3-70b", "--tokens", "15T", "--instance-type", "p5.48xlarge")
GOAL = (*RUN, "--nodes", "64", "--format", "json")
SECONDS = (40.0, 30.0)
"""Of a step of each layout."""


def data_of(*words: Any, code: int = 0) -> dict[str, Any]:
    answer = clusterwright(*words)
    assert answer.exit_code == code, answer.err
    found: dict[str, Any] = json.loads(answer.out)
    return found


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A plan, and what its sweep leaves where the rendered job runs."""
    root = tmp_path_factory.mktemp("sweep")
    shutil.copy(SPEC.parents[1] / "base.yaml", root)
    answer = clusterwright(*GOAL, "--region", "us-east-1", "--write", root / "large.yaml")
    assert answer.exit_code == 0, answer.err
    words = ("--job", "layout-sweep", "--output", root / "jobs")
    answer = clusterwright("render", "jobs", root / "large.yaml", *words)
    assert answer.exit_code == 0, answer.err
    text = (root / "jobs/layout-sweep.sbatch").read_text()
    names = re.findall(r"^    LAYOUT=(\S+)$", text, re.MULTILINE)
    layouts = re.findall(r"LAYOUT_JSON='(.*)'", text)
    batches = re.findall(r"--global-batch-size=(\d+)", text)
    assert len(names) == len(SECONDS)
    for name, layout, batch, seconds in zip(names, layouts, batches, SECONDS, strict=True):
        here = root / "run" / name
        here.mkdir(parents=True)
        (here / "layout.json").write_text(layout + "\n")
        log = WRITERS["megatron"](Attempt(START, 0, 12, step_s=seconds))
        log = re.sub(rf"(global.batch.size\W+){BATCH}\b", rf"\g<1>{batch}", log)
        log = re.sub(rf"(seq_length \.+ ){SEQ_LEN}\b", r"\g<1>8192", log)
        (here / "layout-sweep-7_1.0.out").write_text(log)
    return root


def test_the_sweep_of_a_plan_returns_into_the_plan(folder: Path) -> None:
    words = ("report", "layouts", folder / "large.yaml", "--logs", folder / "run")
    found = data_of(*words, "--format", "json")
    jsonschema.validate(found, schemas()["report-layouts-output.schema.json"])
    assert [one["outcome"] for one in found["points"]] == ["measured"] * 2
    assert [one["step_seconds"] for one in found["points"]] == [30.0, 40.0]
    assert all(one["predicted_tokens_per_second"] for one in found["points"])
    assert {one["nodes"] for one in found["points"]} == {64}
    (folder / "layouts.json").write_text(json.dumps(found))

    before = json.loads((folder / "large.plan.json").read_text())
    after = data_of(*GOAL, "--measured", folder / "layouts.json")
    chosen = after["candidates"][0]
    assert chosen["chosen"]
    text = chosen["layout"].pop("text")
    assert chosen["layout"] == found["points"][0]["layout"]
    assert before["candidates"][0]["layout"]["text"] != text
    measured = after["measured"]
    assert measured["narrower"] > 0.2
    assert measured["days_before"] == before["estimate"]["days"]
    rate = next(one for one in measured["quantities"] if one["key"] == "throughput")
    assert rate["measured"] == pytest.approx(found["points"][0]["tokens_per_second"], rel=1e-3)
    assert any(f"{text} is chosen, the fastest of 2" in note for note in measured["notes"])
    # The settings of the frameworks follow the measured layout.
    assert after["launch"]["megatron"] != before["launch"]["megatron"]


def test_text(folder: Path) -> None:
    answer = clusterwright("report", "layouts", folder / "large.yaml", "--logs", folder / "run")
    assert answer.exit_code == 0
    lines = answer.out.splitlines()
    assert lines[0].endswith(": throughput by layout")
    assert lines[2].split() == [
        "layout",
        "nodes",
        "tokens/s",
        "s/step",
        "MFU",
        "predicted",
        "of",
        "it",
        "outcome",
    ]
    assert lines[3].endswith("measured")
    assert len(lines) == 3 + len(SECONDS)


def test_a_folder_without_a_sweep(tmp_path: Path) -> None:
    assert clusterwright("report", "layouts", SPEC, "--logs", tmp_path).exit_code == 2
    answer = clusterwright("report", "layouts", SPEC, "--logs", tmp_path / "none")
    assert answer.exit_code == 3
    assert "is not a folder" in answer.err
    (tmp_path / "layout.json").write_text("[1]")
    answer = clusterwright("report", "layouts", SPEC, "--logs", tmp_path)
    assert (answer.exit_code, "is not a JSON object" in answer.err) == (3, True)
    (tmp_path / "layout.json").write_text("{")
    assert "cannot be read" in clusterwright("report", "layouts", SPEC, "--logs", tmp_path).err
