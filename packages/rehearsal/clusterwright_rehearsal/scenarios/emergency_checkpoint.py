"""A job gets a signal before its time limit, and writes an emergency checkpoint.

`sbatch --signal=B:USR1@N` sends a signal to the batch script N seconds before the time limit. The
script writes a checkpoint of its current step, waits until it is complete on shared storage, and
ends. It writes no other checkpoint: without the emergency checkpoint all progress would be lost.
"""

from __future__ import annotations

from clusterwright_rehearsal.scenario_api.context import ScenarioContext
from clusterwright_rehearsal.scenario_api.training import Training, train

ORDER = 140

PROMISES = {
    "warned": "Slurm sends the signal before the time limit, and the job ends by itself",
    "whole": "its emergency checkpoint is complete on shared storage when it ends",
    "resumed": "the next job of the run resumes from that step",
}

_NEVER = 100_000
_MINUTES, _BEFORE_S = 1, 50


def run(context: ScenarioContext) -> None:
    options = [f"--time={_MINUTES}", f"--signal=B:USR1@{_BEFORE_S}"]
    training = train(context, name="emergency", every=_NEVER, options=options)
    try:
        _reach_time_limit(context, training)
    finally:
        training.clean_up()


def _reach_time_limit(context: ScenarioContext, training: Training) -> None:
    with context.promise("warned"):
        training.job.wait("RUNNING", within_s=60)
        training.wait_starts(1, within_s=20)
        context.expect(training.newest() == 0, "there is a checkpoint already")
        training.job.wait("COMPLETED", within_s=60.0 * _MINUTES + 30)
        found = training.steps("emergency")
        context.expect(len(found) == 1, f"its output: {training.job.output()!r}")
        context.note(f"at step {found[0]}")

    with context.promise("whole"):
        output = training.job.output()
        context.expect("flushed=yes" in output, f"its output: {output!r}")
        context.expect(training.newest() == found[0], f"latest is step {training.newest()}")
        broken = training.broken_checkpoints()
        context.expect(not broken, "; ".join(broken))

    with context.promise("resumed"):
        again = train(context, name="emergency", run=training.run)
        try:
            again.wait_starts(1, within_s=60)
            began = int(again.starts()[0]["step"])
            context.expect(began == found[0], f"it resumed from step {began}, not {found[0]}")
            again.stop()
            again.job.wait("COMPLETED", within_s=60)
        finally:
            again.job.cancel()
