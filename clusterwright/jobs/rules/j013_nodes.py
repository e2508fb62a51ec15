"""The partition has the nodes that the job requests."""

from __future__ import annotations

from clusterwright.jobs.rule import Fail, Job, JobRule, Results


class EnoughNodes(JobRule):
    id = "CW-J013"
    severity = "error"
    prevents = "a job that is refused, or waits for ever because spares are kept out of jobs"
    source = "sbatch(1), --nodes; `count` and `spare_count` of the spec"

    def check(self, job: Job) -> Results:
        if job.file.nodes is None or not job.groups:
            return
        wanted = job.file.nodes[0]
        sums = []
        for partition in job.partitions:
            groups = [g for g in job.groups if {g.name, g.part_of} & set(partition.groups)]
            sums.append((sum(job.available(g) for g in groups), groups))
        if not sums:
            return
        most, groups = max(sums, key=lambda pair: pair[0])
        if wanted > most:
            spares = sum(group.spare_count for group in groups)
            kept = f"; {spares} more are spares" if spares else ""
            yield Fail(
                message=f"{wanted} nodes are requested, jobs in {job.where} can have {most}{kept}",
                at=job.file.option("nodes", "ntasks"),
                requested=wanted,
                limit=most,
                hint=f"at most --nodes={most}" if most else "name another partition",
            )
