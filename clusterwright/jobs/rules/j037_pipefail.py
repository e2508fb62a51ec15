"""The exit status of a step in a pipe counts."""

from __future__ import annotations

import re

from clusterwright.jobs.rule import Fail, Job, JobRule, Results


class Pipefail(JobRule):
    id = "CW-J037"
    severity = "warning"
    prevents = "a failed job that counts as COMPLETED and is not requeued: tee succeeded"
    source = "GNU Bash manual, Pipelines: the status is that of the last command"

    def check(self, job: Job) -> Results:
        if "PIPESTATUS" in job.file.text or _pipefail(job):
            return
        for step in job.file.steps:
            if step.runner and step.command.certain and step.command.before in ("|", "|&"):
                yield Fail(
                    message="the pipe hides the exit status of this step",
                    at=step,
                    hint="`set -o pipefail`, or srun --output=FILE instead of tee",
                )


def _pipefail(job: Job) -> bool:
    if re.search(r"pipefail", job.file.lines[0]):
        return True
    return any(
        command.name == "set" and any(word.text == "pipefail" for word in command.words)
        for command in job.file.commands
    )
