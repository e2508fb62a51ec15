"""The log of a job that is requeued is appended to."""

from __future__ import annotations

import re

from clusterwright.jobs.rule import Fail, Job, JobRule, Results
from clusterwright.jobs.shell import Command

_APPEND = re.compile(r"--append|-[ip]*a[aip]*")


class OpenMode(JobRule):
    id = "CW-J030"
    severity = "warning"
    prevents = "a log that begins again at each requeue: the cause of the failure is gone"
    source = (
        "sbatch(1), --open-mode; slurm.conf(5), JobFileAppend=0 is the default: truncate, and "
        "JobRequeue=1: requeue"
    )

    def check(self, job: Job) -> Results:
        requeue = job.file.option("requeue", "no-requeue")
        if requeue is not None and requeue.name == "no-requeue":
            return
        mode = job.file.option("open-mode")
        # Without an option Slurm requeues a batch job when a node fails (JobRequeue=1).
        lasts = job.trains and job.long and job.file.many_nodes
        if mode is None:
            if requeue is None and not lasts:
                return
            yield Fail(
                message="the job is requeued, and its log is then overwritten",
                at=requeue or job.file.option("nodes"),
                hint="add `#SBATCH --open-mode=append`",
            )
        elif not mode.value.lower().startswith("a"):
            yield Fail(
                message=f"--open-mode={mode.value}: the log is overwritten at each requeue",
                at=mode,
                hint="--open-mode=append",
            )
        goes_on = job.trains and (requeue is not None or lasts)
        for command in job.file.commands if goes_on else ():
            if _truncates(command):
                yield Fail(
                    message="the job is requeued, and tee then overwrites the log",
                    at=command.words[0],
                    hint="tee --append",
                )


def _truncates(command: Command) -> bool:
    """Whether it is a tee that does not append to a file whose name stays the same."""
    name, *rest = (word.text for word in command.words)
    files = [text for text in rest if not text.startswith(("-", "/dev/"))]
    appends = any(_APPEND.fullmatch(text) for text in rest)
    restarts = any("SLURM_RESTART_COUNT" in text for text in files)
    return name.rpartition("/")[2] == "tee" and bool(files) and not appends and not restarts
