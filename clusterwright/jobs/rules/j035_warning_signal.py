"""Training jobs with a time limit are warned before it."""

from __future__ import annotations

import math

from clusterwright.jobs.rule import Fail, Job, JobRule, Results


class WarningSignal(JobRule):
    id = "CW-J035"
    severity = "warning"
    prevents = "the work since the last checkpoint, which the time limit ends without warning"
    source = "sbatch(1), --signal: with B: only the shell of the batch script gets it"

    def check(self, job: Job) -> Results:
        option = job.file.option("signal")
        if option is not None:
            traps = any(command.name == "trap" for command in job.file.commands)
            if option.value.upper().split(":")[0] in ("B", "RB", "BR") and not traps:
                yield Fail(
                    message=f"--signal={option.value} signals only the batch script, which has no "
                    "`trap`",
                    at=option,
                    hint="pass it on: `trap 'kill -USR1 $pid' USR1`, with srun in the background "
                    "and `wait`; or leave `B:` out",
                )
            return
        minutes = job.file.minutes
        if job.trains and job.long and minutes is not None and not math.isinf(minutes):
            yield Fail(
                message="the time limit ends the job without a signal to save a checkpoint",
                at=job.file.option("time"),
                hint="add `#SBATCH --signal=USR1@300`, and save on the signal",
            )
