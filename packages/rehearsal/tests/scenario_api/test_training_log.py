"""The log of the training job that computes nothing."""

from __future__ import annotations

import subprocess
from pathlib import Path

from clusterwright.job_logs import read_log
from clusterwright_rehearsal.scenario_api.training_log import program


def _log(folder: Path, pace: str, seconds: float) -> str:
    (folder / "pace").write_text(f"{pace}\n")
    script = program(str(folder), nodes=2)
    assert "ms=500" in script
    done = subprocess.run(
        ["timeout", str(seconds), "bash", "-c", script.replace("ms=500", "ms=50")],
        env={"SLURM_JOB_ID": "7", "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr == ""
    return done.stdout


def test_it_has_every_figure_of_a_framework(tmp_path: Path) -> None:
    log = read_log(_log(tmp_path, "steady", 3))
    settings = log.settings
    assert log.framework == "torchtitan"
    assert (settings.world_size, settings.accelerators) == (2, 2)
    assert settings.flops_per_token == 4.82e10
    assert settings.tokens_per_step == 8 * 4096
    assert [event.step for event in log.steps][:4] == [1, 2, 3, 4]
    assert all(event.mfu and event.tflops for event in log.steps)
    assert {"save_begin", "save_end"} <= {event.kind for event in log.events}


def test_without_a_pace_no_step_comes(tmp_path: Path) -> None:
    assert not read_log(_log(tmp_path, "none", 0.5)).steps
