"""`clusterwright report goodput` as a user runs it."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from clusterwright.json_output.schemas import schemas
from tests.support.command_line import clusterwright
from tests.support.goodput_reports import KILLED, LAST, PLAN, START
from tests.support.training_logs import WRITERS, Attempt

SPEC = Path(__file__).parents[2] / "configs/examples/p5-2.yaml"


def sacct(*jobs: tuple[int, str, int, int, int]) -> str:
    """`sacct --json --duplicates`: (id, name, submission, start, end)."""
    return json.dumps(
        {
            "jobs": [
                {
                    "job_id": job_id,
                    "name": name,
                    "state": {"current": ["NODE_FAIL"], "reason": "None"},
                    "allocation_nodes": 2,
                    "time": {"submission": submit, "eligible": submit, "start": start, "end": end},
                }
                for job_id, name, submit, start, end in jobs
            ]
        }
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Logs, accounting and plan of a run that was killed once."""
    (tmp_path / "logs").mkdir()
    text = WRITERS["megatron"](KILLED) + WRITERS["megatron"](LAST)
    (tmp_path / "logs/slurm-7.out").write_text(text)
    (tmp_path / "logs/core.7").write_bytes(b"\0\1")
    rows = [
        (7, "llama3", START - 100, START - 20, START + 400),
        (7, "llama3", START + 450, START + 880, START + 1500),
    ]
    (tmp_path / "jobs.json").write_text(sacct(*rows))
    (tmp_path / "x.plan.json").write_text(json.dumps(PLAN))
    return tmp_path


def goodput(folder: Path, *words: str, exit_code: int = 0) -> Any:
    """The JSON answer."""
    found = clusterwright(
        "report", "goodput", SPEC, "--logs", "logs", *words, "--format", "json", folder=folder
    )
    assert found.exit_code == exit_code, found.err
    data = json.loads(found.out)
    jsonschema.validate(data, schemas()["report-goodput-output.schema.json"])
    return data


def test_run_that_was_killed_once(folder: Path) -> None:
    data = goodput(folder, "--sacct", "jobs.json", "--run", "llama3", "--plan", "x.plan.json")
    assert data["parts"] == {
        "queue_s": 510.0,
        "boot_s": 40.0,
        "start_s": 90.0,
        "productive_s": 400.0,
        "repeated_s": 70.0,
        "checkpoint_s": 20.0,
        "stalled_s": 200.0,
        "down_s": 270.0,
    }
    assert sum(data["parts"].values()) == data["wall_s"]
    assert (data["steps"]["productive"], data["steps"]["repeated"]) == (40, 7)
    assert data["mfu"] == pytest.approx(26_214.4 * 42e9 / (16 * 989.5e12))
    assert (data["nodes"], data["accelerators"], data["unknown"]) == (2, 16, [])
    assert data["usd_per_billion_tokens"] > 0


def test_text_and_html(folder: Path) -> None:
    words = ["report", "goodput", str(SPEC), "--logs", "logs/slurm-7.out", "--html", "x.html"]
    for _ in range(2):
        found = clusterwright(*words, folder=folder)
        assert found.exit_code == 0
    assert "steps: 40 productive, 7 repeated" in found.out
    assert "Timeline" in (folder / "x.html").read_text()


def test_plan_beside_the_spec_is_taken(folder: Path) -> None:
    spec = folder / "configs/mine.yaml"
    spec.parent.mkdir()
    spec.write_text(SPEC.read_text())
    for base in (SPEC.parent / "base.yaml", SPEC.parents[1] / "base.yaml"):
        if base.is_file():
            (spec.parent / "base.yaml").write_text(base.read_text())
    (folder / "configs/mine.plan.json").write_text(json.dumps(PLAN))
    found = clusterwright(
        "report", "goodput", spec, "--logs", "logs", "--format", "json", folder=folder
    )
    assert json.loads(found.out)["plan"]["goodput"]["p50"] == 0.3


def test_several_runs_must_be_named(folder: Path) -> None:
    (folder / "logs/slurm-8.out").write_text(WRITERS["nemo"](Attempt(START, 0, 5)))
    rows = [
        (7, "llama3", START, START, START + 400),
        (8, "mixtral", START - 9, START - 9, START + 99),
    ]
    (folder / "jobs.json").write_text(sacct(*rows))
    words = ["report", "goodput", str(SPEC), "--logs", "logs", "--sacct", "jobs.json"]
    found = clusterwright(*words, folder=folder)
    assert found.exit_code == 3
    assert found.err == (
        "error: the files are of several runs: llama3, mixtral\n\nhint: --run llama3\n"
    )
    data = goodput(folder, "--sacct", "jobs.json", "--run", "mixtral")
    assert (data["framework"], data["steps"]["productive"]) == ("nemo", 5)


def test_logs_that_do_not_answer(folder: Path) -> None:
    (folder / "logs/slurm-7.out").write_text("training went well\n")
    data = goodput(folder, exit_code=2)
    assert (data["parts"], data["framework"]) == (None, "unknown")
    assert data["unknown"][0]["what"] == "steps"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--logs", "none"], "--logs: none does not exist"),
        (["--logs", "logs", "--sacct", "logs/slurm-7.out"], "--sacct: logs/slurm-7.out: not JSON"),
        (["--logs", "logs", "--sacct", "none"], "--sacct: none cannot be read"),
        (["--logs", "logs", "--plan", "jobs.json"], "--plan: jobs.json is not the plan"),
        (["--logs", "logs", "--plan", "none"], "--plan: none cannot be read"),
    ],
)
def test_files_that_cannot_be_read(folder: Path, words: list[str], message: str) -> None:
    found = clusterwright("report", "goodput", SPEC, *words, folder=folder)
    assert found.exit_code == 3
    assert found.err.startswith(f"error: {message}")


def test_page_shows_what_is_printed(folder: Path) -> None:
    """docs/how-to/measure-goodput.md."""
    page = (SPEC.parents[2] / "docs/how-to/measure-goodput.md").read_text()
    words = ["--logs", "logs", "--sacct", "jobs.json", "--plan", "x.plan.json"]
    found = clusterwright("report", "goodput", SPEC, *words, folder=folder)
    time = found.out.split("\n\n")[1]
    assert time in page


def test_saves_of_the_checkpoint_folder(folder: Path) -> None:
    """MLPerf's log names no save; an unfinished checkpoint and a link are none."""
    (folder / "logs/slurm-7.out").write_text(WRITERS["mllog"](KILLED))
    for step, at in ((10, START + 165), (20, START + 270)):
        path = folder / "saved" / f"step-{step}"
        path.mkdir(parents=True)
        for name in ("__0_0.distcp", ".metadata"):
            (path / name).touch()
            os.utime(path / name, (at, at))
    (folder / "saved/step-30").mkdir()
    (folder / "saved/step-30/__0_0.distcp").touch()
    (folder / "saved/latest").symlink_to("step-20")
    data = goodput(folder, "--checkpoints", "saved")
    assert data["saves"] == 2
    assert data["parts"]["checkpoint_s"] == 10.0
    assert data["checkpoints"] == {
        "count": 2,
        "newest_step": 20,
        "newest_written": "2025-11-24T16:04:30+00:00",
        "unsaved_steps": 7,
    }
    text = clusterwright(
        *("report", "goodput", SPEC, "--logs", "logs", "--checkpoints", "saved"), folder=folder
    )
    assert (
        "checkpoints: 2 in the folder, the newest of step 20; 7 steps since then would be lost"
        in text.out
    )


def test_checkpoint_folder_that_does_not_exist(folder: Path) -> None:
    found = clusterwright(
        *("report", "goodput", SPEC, "--logs", "logs", "--checkpoints", "gone"), folder=folder
    )
    assert found.exit_code == 3
    assert "--checkpoints: gone cannot be read: No such file or directory" in found.err
