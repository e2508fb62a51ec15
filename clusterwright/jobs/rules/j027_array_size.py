"""Indices of a job array are smaller than MaxArraySize."""

from __future__ import annotations

from typing import Final

from clusterwright.jobs import values
from clusterwright.jobs.rule import Fail, Job, JobRule, Results

_DEFAULT: Final = 1001
"""MaxArraySize where slurm.conf has none, and no key of the spec sets it."""


class ArraySize(JobRule):
    id = "CW-J027"
    severity = "warning"
    prevents = "a submission that slurmctld refuses: Invalid job array specification"
    source = (
        "slurm.conf(5), MaxArraySize: the largest index is one less; its default is 1001 "
        "(SchedMD/slurm, src/common/read_config.h, 26.05)"
    )

    def check(self, job: Job) -> Results:
        array = job.file.option("array")
        limits = values.array_limits(array.value) if array is not None else None
        if limits is None or job.cluster.traits.service_runs_controller:
            return  # The service sets it, and does not state it.
        largest = max(limits)
        if largest < _DEFAULT:
            return
        yield Fail(
            message=f"the array has the index {largest:,}, and by Slurm's default "
            f"(MaxArraySize {_DEFAULT:,}) the largest is {_DEFAULT - 1:,}",
            at=array,
            requested=largest,
            limit=_DEFAULT - 1,
            hint="let each task do several parts of the work, or submit several arrays",
        )
