"""The log of a job that is requeued is appended to."""

from __future__ import annotations

from clusterwright.jobs.rule import Fail, Job, JobRule, Results


class OpenMode(JobRule):
    id = "CW-J030"
    severity = "warning"
    prevents = "a log that begins again at each requeue: the cause of the failure is gone"
    source = "sbatch(1), --open-mode; slurm.conf(5), JobFileAppend=0 is the default: truncate"

    def check(self, job: Job) -> Results:
        requeue = job.file.option("requeue", "no-requeue")
        if requeue is None or requeue.name == "no-requeue":
            return
        mode = job.file.option("open-mode")
        if mode is None:
            yield Fail(
                message="the job is requeued, and its log is then overwritten",
                at=requeue,
                hint="add `#SBATCH --open-mode=append`",
            )
        elif not mode.value.lower().startswith("a"):
            yield Fail(
                message=f"--open-mode={mode.value}: the log is overwritten at each requeue",
                at=mode,
                hint="--open-mode=append",
            )
