"""Jobs that use whole nodes have them to themselves."""

from __future__ import annotations

from clusterwright.jobs.rule import Fail, Job, JobRule, Results


class Exclusive(JobRule):
    id = "CW-J033"
    severity = "warning"
    prevents = (
        "jobs without GPUs on the same nodes, which take CPUs, memory and network from ranks"
    )
    source = "sbatch(1), --exclusive; awslabs/awsome-distributed-ai, test cases"

    def check(self, job: Job) -> Results:
        if not job.accelerators_per_node or job.exclusive or not job.whole_nodes:
            return
        requested = job.requested_accelerators
        own = job.accelerators_per_node
        if requested is not None and requested[2] is not None and requested[2] < own:
            return
        yield Fail(
            message="the job uses whole nodes without --exclusive",
            at=requested[0] if requested is not None else job.file.option("nodes"),
            hint="add `#SBATCH --exclusive`",
        )
