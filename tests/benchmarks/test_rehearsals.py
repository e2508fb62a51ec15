"""Figures of rehearsals are read from the verdict; one rehearsal serves several rows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from benchmarks import rehearsals
from benchmarks.rehearsals import Sized, node_program, to_daemons, to_first_job, to_idle

ANSWER: dict[str, Any] = {
    "promises": [{"id": "first-boot.first-job", "seconds": 0.75}],
    "timeline": [
        {"time": 100.0, "event": "created", "node": "controller-1"},
        {"time": 100.5, "event": "created", "node": "workers-1"},
        {"time": 106.0, "event": "platform", "node": "controller-1"},
        {"time": 107.0, "event": "platform", "node": "workers-1"},
        {"time": 109.0, "event": "running", "node": "controller-1"},
        {"time": 108.5, "event": "running", "node": "workers-1"},
    ],
    "steps": [
        {"node": "workers-1", "step": "lustre", "status": "applied", "seconds": 0.5},
        {"node": "workers-1", "step": "home", "status": "skipped", "seconds": 0.0},
        {"node": "controller-1", "step": "lustre", "status": "unchanged", "seconds": 0.25},
    ],
}


def test_figures_match_the_verdict() -> None:
    assert to_idle(ANSWER) == 9.0
    assert to_daemons(ANSWER) == 7.0
    assert to_first_job(ANSWER) == 9.75
    assert node_program(ANSWER) == 0.5


def test_run_without_nodes_is_a_failure() -> None:
    with pytest.raises(RuntimeError, match="no node was ever running"):
        to_idle({"timeline": []})


def test_one_rehearsal_provides_every_row(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(rehearsals, "_MEASURED", [])
    held = []

    def hold(self: Sized) -> Any:
        held.append(self.workers)
        return ANSWER

    monkeypatch.setattr(Sized, "_rehearse", hold)
    six = Sized(4, tmp_path)
    ours, beside = six.figure(to_idle), six.figure(to_daemons)
    assert (ours(), beside()) == (9.0, 7.0)
    assert (ours(), beside()) == (9.0, 7.0)
    assert held == [4, 4]
    assert rehearsals.step_table() == [
        "",
        "steps of the node program, 4 workers",
        "  lustre     4 runs  median  0.375 s  slowest  0.500 s",
    ]
    assert rehearsals.step_figures()[0] == {"workers": 4, "run": 0, **ANSWER["steps"][0]}


def test_machine_without_nodes_has_a_reason_instead_of_rows(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setattr(rehearsals, "nodes_unavailable", lambda: "emulated nodes require root")
    assert rehearsals.rehearsal_comparisons(tmp_path) == []
    assert "no rehearsals: emulated nodes require root" in capsys.readouterr().err


def test_rows_have_targets(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(rehearsals, "nodes_unavailable", lambda: None)
    monkeypatch.setattr(rehearsals, "_MEASURED", [])
    rows = {row.name: row.target_seconds for row in rehearsals.rehearsal_comparisons(tmp_path)}
    assert rows["six nodes, CreateCluster to all idle"] == 20
    assert rows["32 workers, CreateCluster to all idle"] == 75
    assert rows["the node image, built"] == 60
