"""What a run has recorded is read back: steps, and the logs of failed instances."""

from __future__ import annotations

import json
from pathlib import Path

from clusterwright_rehearsal import run_records, runs


def _run(state: Path, *lines: str) -> runs.Run:
    run = runs.new_run(state)
    folder = run.folder / "logs" / "workers-1"
    folder.mkdir(parents=True)
    (folder / "i-1.log").write_text("\n".join(lines) + "\n")
    event = {"time": 1.0, "event": "failed", "node": "workers-1", "instance_id": "i-1"}
    run.timeline.write_text(json.dumps(event) + "\n")
    return run


def test_steps_are_read_from_json_lines(tmp_path: Path) -> None:
    end = {"event": "end", "step": "clock", "status": "applied", "seconds": 1, "time": "unknown"}
    run = _run(tmp_path, "text of a custom script", json.dumps(end))
    (step,) = run_records.step_results(run)
    assert (step.node, step.step, step.status, step.ended) == (
        "workers-1",
        "clock",
        "applied",
        None,
    )


def test_failure_logs_contain_errors_and_text_lines(tmp_path: Path) -> None:
    failed = {"event": "end", "step": "lustre", "status": "failed", "error": "no answer"}
    skipped = {"event": "end", "step": "clock", "status": "skipped"}
    run = _run(tmp_path, json.dumps(skipped), "plain", json.dumps(failed))
    assert list(run_records.failure_logs(run)) == [
        ("workers-1", "plain\nlustre: failed: no answer")
    ]


def test_run_without_a_timeline_has_no_events(tmp_path: Path) -> None:
    assert run_records.timeline(runs.new_run(tmp_path)) == []
