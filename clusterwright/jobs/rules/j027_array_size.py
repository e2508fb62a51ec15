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
        "(SchedMD/slurm, src/common/read_config.h, 26.05); compared with the end of a range and "
        "its step: slurm_parse_array_tok"
    )

    def check(self, job: Job) -> Results:
        array = job.file.option("array")
        if array is None or job.cluster.traits.service_runs_controller:
            return  # The service sets it, and does not state it.
        try:
            ranges = values.array_ranges(array.value)
        except ValueError:
            return  # CW-J004, CW-J006
        largest, step = (max(each[part] for each in ranges) for part in (1, 2))
        if max(largest, step) < _DEFAULT:
            return
        what = f"goes to {largest:,}" if largest >= _DEFAULT else f"has the step {step:,}"
        yield Fail(
            message=f"the array {what}, and by Slurm's default (MaxArraySize {_DEFAULT:,}) the "
            f"largest index is {_DEFAULT - 1:,}",
            at=array,
            requested=max(largest, step),
            limit=_DEFAULT - 1,
            hint="let each task do several parts of the work, or submit several arrays",
        )
