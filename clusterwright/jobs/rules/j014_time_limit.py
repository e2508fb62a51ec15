"""The time limit is within that of the partition and of the QOS."""

from __future__ import annotations

import math

from clusterwright.jobs.rule import Fail, Job, JobRule, Results


class TimeLimit(JobRule):
    id = "CW-J014"
    severity = "error"
    prevents = "a job that stays pending with the reason PartitionTimeLimit or QOSMaxWallDuration"
    source = "sbatch(1), --time; `max_time_minutes` of slurm.partitions and slurm.qos"

    def check(self, job: Job) -> Results:
        minutes, option = job.file.minutes, job.file.option("time")
        if minutes is None or option is None:
            return
        limits = [
            (f"partition {partition.name}", partition.max_time_minutes)
            for partition in job.partitions
        ]
        if limits and all(limit is not None for _, limit in limits):
            yield from _over(option, minutes, max(limits, key=lambda pair: pair[1] or 0))
        qos = next((q for q in job.cluster.slurm.qos if q.name == job.file.value("qos")), None)
        if qos is not None:
            yield from _over(option, minutes, (f"QOS {qos.name}", qos.max_time_minutes))


def _over(option: object, minutes: float, limit: tuple[str, int | None]) -> Results:
    name, most = limit
    if most is not None and minutes > most:
        asked = "no limit" if math.isinf(minutes) else f"{minutes:g} minutes"
        yield Fail(
            message=f"{asked} are requested, the {name} allows {most}",
            at=option,  # type: ignore[arg-type]
            requested=None if math.isinf(minutes) else round(minutes, 2),
            limit=most,
            where=name,
            hint=f"at most --time={most}; go on with a checkpoint in the next job",
        )
