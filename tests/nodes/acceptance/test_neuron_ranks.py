"""The program that starts nccom-test over the nodes of a job, on a node that has no Slurm."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from clusterwright_acceptance import neuron_ranks, running

STEP = {"SLURM_JOB_ID": "7", "SLURM_STEP_ID": "0", "SLURMD_NODENAME": "n0", "SLURM_PROCID": "0"}
NCCOM = """#!{python}
import json, os, sys, time
words = sys.argv[1:]
if "--help" in words:
    time.sleep({seconds})
    sys.exit(print("{help}"))
given = {{key: value for key, value in os.environ.items() if key.startswith(("SLURM", "PMI"))}}
with open(words[words.index("--report-to-json-file") + 1], "w") as file:
    json.dump({{"words": words, "given": given}}, file)
print("one\\ntwo")
sys.exit({code})
"""


class Task:
    """A task of the step, with processes of other steps in `proc`."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.program, self.report = folder / "nccom-test", folder / "report"
        self.proc = folder / "proc"
        self.proc.mkdir()
        monkeypatch.setattr(neuron_ranks, "REPORT", str(self.report))
        monkeypatch.setattr(neuron_ranks, "START_SECONDS", 0.3)
        monkeypatch.setattr(neuron_ranks, "_POLL_SECONDS", 0.01)
        self.look = neuron_ranks.of_other_step
        monkeypatch.setattr(
            neuron_ranks, "of_other_step", lambda given: self.look(given, self.proc)
        )
        self.monkeypatch = monkeypatch
        self.env(STEP)

    def env(self, given: Mapping[str, str]) -> None:
        for name, value in given.items():
            self.monkeypatch.setenv(name, value)

    def install(
        self, help_text: str = "[--slurm-mode]", code: int = 0, seconds: float = 0.0
    ) -> None:
        words = {"help": help_text, "code": code, "seconds": seconds}
        text = NCCOM.format(python=sys.executable, **words)
        self.program.write_text(text)
        self.program.chmod(0o755)

    def process(self, number: int, **changes: str) -> Path:
        given = {**STEP, "SLURM_STEP_ID": "1", **changes}
        path = self.proc / str(number) / "environ"
        path.parent.mkdir()
        path.write_bytes(b"\0".join(f"{key}={value}".encode() for key, value in given.items()))
        return path

    def main(self, capsys: pytest.CaptureFixture[str]) -> tuple[int, list[dict[str, Any]]]:
        words = ["--report-to-json-file", str(self.report)]
        code = neuron_ranks.main([str(self.program), *words])
        return code, [json.loads(line) for line in capsys.readouterr().out.splitlines()]


@pytest.fixture
def task(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Task:
    return Task(tmp_path, monkeypatch)


def test_the_first_task_starts_nccom_test(task: Task, capsys: pytest.CaptureFixture[str]) -> None:
    task.install()
    task.process(12)
    task.env({"PMIX_RANK": "0", "SLURM_CONF": "/etc/slurm.conf", "SLURM_NTASKS": "2"})
    code, (looked, ended) = task.main(capsys)
    assert (code, looked) == (0, {"node": "n0", "ranks": True})
    assert (ended["exit"], ended["last"]) == (0, ["one", "two"])
    found = json.loads(ended["report"])
    assert found["words"][-3:] == ["--slurm-mode", "--slurm-job-id", "7"]
    assert found["given"] == {"SLURM_CONF": "/etc/slurm.conf", "SLURM_OVERLAP": "1"}


def test_its_failure_does_not_end_the_tasks_that_still_look(
    task: Task, capsys: pytest.CaptureFixture[str]
) -> None:
    task.install(code=3)
    code, (looked, ended) = task.main(capsys)
    assert (code, looked["ranks"], ended["exit"]) == (0, False, 3)


@pytest.mark.parametrize(
    ("install", "reason"),
    [(False, "is not on this node"), (True, "has no --slurm-mode: MPI over SSH is not used")],
)
def test_a_missing_program_or_mode_is_said(
    task: Task, capsys: pytest.CaptureFixture[str], install: bool, reason: str
) -> None:
    if install:
        task.install("[--hosts]")
    code, (row,) = task.main(capsys)
    assert (code, row) == (127, {"node": "n0", "missing": f"{task.program} {reason}"})


@pytest.mark.parametrize("number", ["0", "1"])
def test_a_start_that_hangs_is_said(
    task: Task, capsys: pytest.CaptureFixture[str], number: str
) -> None:
    """By each node, whichever of them starts the others' ranks."""
    task.install(seconds=60.0)
    task.monkeypatch.setattr(neuron_ranks, "HELP_SECONDS", 0.3)
    task.env({"SLURM_PROCID": number})
    code, rows = task.main(capsys)
    assert code == 1
    text = f"{task.program} --help did not end within 0 s"
    assert rows[-1] == {"node": "n0", "hung": text}
    assert rows[:-1] == [{"node": "n0", "ranks": False}] * int(number)


def test_other_tasks_stay_as_long_as_the_ranks(
    task: Task, capsys: pytest.CaptureFixture[str]
) -> None:
    task.install()
    task.env({"SLURM_PROCID": "1"})
    path = task.process(12)
    seen: list[float] = []

    def sleep(_: float) -> None:
        seen.append(0.0)
        if len(seen) == 3:
            path.unlink()

    clock = SimpleNamespace(sleep=sleep, monotonic=time.monotonic)
    task.monkeypatch.setattr(neuron_ranks, "time", clock)
    assert task.main(capsys) == (0, [{"node": "n0", "ranks": True}])
    assert len(seen) == 3


def test_ranks_that_do_not_come_are_said(task: Task, capsys: pytest.CaptureFixture[str]) -> None:
    task.install()
    task.env({"SLURM_PROCID": "1"})
    # This step, another job, and another node whose processes this one sees.
    task.process(1, SLURM_STEP_ID="0")
    task.process(2, SLURM_JOB_ID="8")
    task.process(3, SLURMD_NODENAME="n1")
    (task.proc / "4").mkdir()
    assert task.main(capsys) == (0, [{"node": "n0", "ranks": False}])


def test_the_usual_place_is_for_the_usual_name(tmp_path: Path, task: Task) -> None:
    task.install()
    task.monkeypatch.setattr(running, "PLACES", {"nccom-test": (str(task.program),)})
    task.monkeypatch.setenv("PATH", str(tmp_path / "none"))
    assert neuron_ranks.found("nccom-test") == str(task.program)
    assert neuron_ranks.found("/none/nccom-test") is None
