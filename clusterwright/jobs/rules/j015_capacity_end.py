"""The job ends before its capacity does."""

from __future__ import annotations

import datetime as dt
import math

from clusterwright.catalog import Known
from clusterwright.jobs.rule import Fail, Job, JobRule, Results

ENDING = {
    "capacity-block": ("Capacity Block", "capacity_block.ends_before_minutes"),
    "training-plan": ("training plan", "training_plan.ends_before_minutes"),
}


class CapacityEnd(JobRule):
    id = "CW-J015"
    severity = "warning"
    prevents = "a job that AWS ends with its instances, after its last checkpoint"
    source = (
        "EC2 documentation, Capacity Blocks, and SageMaker documentation, training plans: "
        "instances are terminated before the end; minutes as in the catalogue"
    )

    def skipped(self, job: Job) -> str | None:
        kinds = {group.capacity.kind for group in job.groups}
        deadline = job.file.option("deadline")
        run = job.cluster.run
        if kinds & ENDING.keys() and job.ends is None and deadline is None and run is None:
            return "no --capacity-ends: the spec does not say when the capacity ends"
        return None

    def check(self, job: Job) -> Results:
        kinds = [g.capacity.kind for g in job.groups if g.capacity.kind in ENDING]
        if not kinds or job.file.option("deadline") is not None:
            return
        if job.ends is None:
            yield from _beyond_the_run(job, ENDING[kinds[0]][0])
            return
        name, key = ENDING[kinds[0]]
        early = job.catalog.limit(key)
        margin = dt.timedelta(minutes=float(early.value) if isinstance(early, Known) else 0)
        last = job.ends - margin
        left = (last - job.now).total_seconds() / 60
        minutes = job.file.minutes
        shown = last.strftime("%Y-%m-%d %H:%M UTC")
        option = job.file.option("time")
        if left <= 0:
            yield Fail(
                message=f"the {name} has ended: its instances stop at {shown}",
                at=option,
                severity="error",
            )
        elif minutes is None or math.isinf(minutes):
            yield Fail(
                message=f"the job has no time limit, and the {name}'s instances stop at {shown}",
                at=option,
                hint=f"--time={max(1, math.floor(left))} or --deadline={last:%Y-%m-%dT%H:%M}, "
                "with --signal to save before",
            )
        elif minutes > left:
            yield Fail(
                message=f"the time limit is {minutes:g} minutes, and the {name}'s instances stop "
                f"at {shown}, in {left:.0f}",
                at=option,
                requested=round(minutes, 2),
                limit=math.floor(left),
                hint=f"at most --time={max(1, math.floor(left))} if it starts now, or "
                f"--deadline={last:%Y-%m-%dT%H:%M} with --time-min, for Slurm to shorten it",
            )


def _beyond_the_run(job: Job, name: str) -> Results:
    """Without the end of the capacity, the run that the cluster is planned for is the limit."""
    run, minutes, option = job.cluster.run, job.file.minutes, job.file.option("time")
    if run is None or option is None or minutes is None or minutes <= run.hours * 60:
        return
    asked = "no limit" if math.isinf(minutes) else f"{minutes / 60:g} hours"
    yield Fail(
        message=f"the time limit is {asked}, the run on this {name} is planned for {run.hours:g} "
        "hours (run.hours)",
        at=option,
        requested=None if math.isinf(minutes) else round(minutes / 60, 2),
        limit=run.hours,
        where="hours",
        hint="state the end with --capacity-ends, and a time limit that ends before it",
    )
