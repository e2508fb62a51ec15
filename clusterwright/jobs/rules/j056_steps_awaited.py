"""The script waits for its steps in the background."""

from __future__ import annotations

from clusterwright.jobs.rule import Fail, Job, JobRule, Results
from clusterwright.jobs.traps import traps

_ENDS_SOON = frozenset(
    {"", ":", "date", "echo", "exit", "export", "printf", "set", "trap", "true"}
)
_WAITS = frozenset({"wait", "tail", "fg"})


class StepsAwaited(JobRule):
    id = "CW-J056"
    severity = "error"
    prevents = "a job that ends when the batch script does, at once, and its steps with it"
    source = "sbatch(1): the job ends with its script; GNU Bash manual, Lists of Commands: `&`"

    def check(self, job: Job) -> Results:
        behind = [step for step in job.file.steps if step.command.background and step.runner]
        if not behind:
            return
        last = behind[-1].command
        following = [
            command
            for command in job.file.script.following(last)
            if command.background != last.background
        ]
        if any(command.name not in _ENDS_SOON for command in following):
            return
        ends = [trap for trap in traps(job.file) if "EXIT" in trap.signals]
        if any(not trap.known or any(c.name in _WAITS for c in trap.commands) for trap in ends):
            return
        yield Fail(
            message="nothing waits for this step in the background: the script ends, and the job",
            at=behind[-1],
            severity=None if last.certain else "warning",
            hint="`wait` at the end of the script",
        )
