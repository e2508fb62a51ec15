"""Each task of an array has its own log."""

from __future__ import annotations

import re

from clusterwright.jobs import values
from clusterwright.jobs.rule import Fail, Job, JobRule, Results

_OWN = re.compile(r"%\d*[ajJ]")


class ArrayLogs(JobRule):
    id = "CW-J038"
    severity = "warning"
    prevents = "a log in which the lines of all tasks are mixed, or of the last task only"
    source = "sbatch(1), filename pattern: %A is the same for all tasks of an array, %a is not"

    def check(self, job: Job) -> Results:
        array = job.file.option("array")
        if array is None or values.array_tasks(array.value) in (0, 1):
            return
        for name in ("output", "error"):
            option = job.file.option(name)
            if option is None or option.value.startswith("/dev/") or _OWN.search(option.value):
                continue
            yield Fail(
                message=f"all tasks of the array write into {option.value}",
                at=option,
                hint="%A_%a in the name",
            )
