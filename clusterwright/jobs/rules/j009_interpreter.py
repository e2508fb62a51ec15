"""Steps start Python programs with an interpreter."""

from __future__ import annotations

import re
from fnmatch import fnmatchcase

from clusterwright.jobs.rule import Fail, Job, JobRule, Results

_PROGRAM = re.compile(r"[\w.-]*\w\.py")


class Interpreter(JobRule):
    id = "CW-J009"
    severity = "warning"
    prevents = "slurmstepd: error: execve(): train.py: Permission denied, on every node"
    source = (
        "srun(1) and execve(2): the file itself is executed, which needs its permission and a "
        "line #!; pytorch/pytorch#102434"
    )

    def check(self, job: Job) -> Results:
        made = {
            word.text.rpartition("/")[2]
            for command in job.file.commands
            if command.name == "chmod"
            for word in command.words
        }
        for step in job.file.steps:
            first = step.program[0] if step.runner and step.program else None
            if first is None or not _PROGRAM.fullmatch(first.text):
                continue
            # Without its folder: PATH may have the one that chmod names.
            if any(fnmatchcase(first.text, pattern) for pattern in made):
                continue
            yield Fail(
                message=f"{step.runner} executes {first.text} itself: it needs execute permission "
                "and a line `#!`, and no launcher starts a process for each accelerator",
                at=first,
                hint=f"{step.runner} python {first.text}, or {step.runner} torchrun ... "
                f"{first.text}",
            )
