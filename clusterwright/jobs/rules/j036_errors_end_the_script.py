"""A step that fails ends a script of several steps."""

from __future__ import annotations

import re

from clusterwright.jobs.rule import Fail, Job, JobRule, Results, Step
from clusterwright.jobs.shell import nested

_PLAIN = frozenset(
    [
        "hostname",
        "nvidia-smi",
        "env",
        "printenv",
        "date",
        "ls",
        "echo",
        "sleep",
        "mkdir",
        "cat",
        "true",
        "uname",
        "rm",
        "df",
        "free",
    ]
)


class ErrorsEndTheScript(JobRule):
    id = "CW-J036"
    severity = "warning"
    prevents = "later steps on the results of a failed one, and a job that counts as COMPLETED"
    source = "GNU Bash manual, The Set Builtin: -e"

    def check(self, job: Job) -> Results:
        text = job.file.text
        if _errexit(job) or "$?" in text or "PIPESTATUS" in text:
            return
        steps = [step for step in job.file.steps if step.command.certain and _counts(step)]
        for step in steps[:-1]:
            if step.command.before in ("&&", "||", "&") or step.command.after == "||":
                continue
            following = steps[steps.index(step) + 1]
            if step.command.background not in (0, following.command.background):
                continue
            yield Fail(
                message=f"if this step fails, the script goes on with line {following.word.line}",
                at=step,
                hint="begin the script with `set -euo pipefail`, or join the steps with `&&`",
            )
            return


def _counts(step: Step) -> bool:
    """Whether a step does more than print: also of `bash -c 'echo ...'`."""
    inner = [command.name for command in nested([step.command], {}, {})]
    prints = step.name in _PLAIN or (bool(inner) and _PLAIN.issuperset(inner))
    return step.runner != "" and not prints


def _errexit(job: Job) -> bool:
    first = job.file.lines[0]
    if re.search(r"sh\s+-\w*e", first):
        return True
    for command in job.file.commands:
        if command.name == "set":
            words = [word.text for word in command.words[1:]]
            if any(re.fullmatch(r"-[a-z]*e[a-z]*", word) for word in words):
                return True
            if "errexit" in words:
                return True
    return False
