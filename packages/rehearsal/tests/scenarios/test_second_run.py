"""The scenario `second-run` judges the node program by its CPU time."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from clusterwright_rehearsal.scenario_api.outcomes import Broken
from clusterwright_rehearsal.scenarios import second_run
from packages.rehearsal.tests.scenario_api.contexts import answering, context

PROGRAM = "run-the-program"


def found(folder: Path, monkeypatch: pytest.MonkeyPatch, *, cpu: float, wall: float) -> Any:
    """A context whose nodes answer a second run that has these seconds."""
    end = {"event": "run_end", "status": "succeeded", "seconds": wall, "cpu_seconds": cpu}
    step = {"event": "end", "step": "lustre", "status": "unchanged"}
    lines = "".join(json.dumps(line) + "\n" for line in (step, end))
    made = context(folder)
    made.begin("second-run", second_run.PROMISES)
    monkeypatch.setattr(type(made), "program", PROGRAM)
    monkeypatch.setattr(type(made), "wait_idle", lambda _: None)
    answering(made, {PROGRAM: lines, "touch": "", "find": ""})
    return made


def quick(made: Any) -> tuple[str, str]:
    """The status and the reason of the promise `quick`."""
    (result,) = [one for one in made.results if one.id.endswith("quick")]
    return result.status, result.reason or ""


def test_a_busy_machine_breaks_no_promise(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = found(tmp_path, monkeypatch, cpu=0.4, wall=30.0)
    second_run.run(made)
    assert quick(made)[0] == "held"


def test_a_program_that_works_for_seconds_is_not_quick(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = found(tmp_path, monkeypatch, cpu=2.5, wall=0.1)
    with pytest.raises(Broken):
        second_run.run(made)
    status, reason = quick(made)
    assert status == "broken"
    assert "used 2.50 s of CPU time" in reason
