"""The nodes have the CPUs that the job requests."""

from __future__ import annotations

from clusterwright.jobs.rule import Fail, Job, JobRule, Results
from clusterwright.platforms.node_hardware import hardware


class EnoughCpus(JobRule):
    id = "CW-J017"
    severity = "error"
    prevents = "a submission that Slurm refuses: requested node configuration is not available"
    source = "sbatch(1), --cpus-per-task, --ntasks-per-node; cores and threads of the catalogue"

    def check(self, job: Job) -> Results:
        each = job.file.count("cpus-per-task") or 1
        tasks = job.file.count("ntasks-per-node")
        if tasks is None and job.file.option("ntasks") is None:
            tasks = 1
        counts = []
        for group in job.groups:
            found = hardware(group, job.catalog)
            cores, threads = found["cores"], found["threads_per_core"]
            counts.append(cores * threads if cores and threads else None)
        own = job.largest(counts)
        if tasks is None or own is None or tasks * each <= own:
            return
        yield Fail(
            message=f"{tasks * each} CPUs per node are requested ({tasks} tasks with {each}), the "
            f"nodes of {job.where} have {own}",
            at=job.file.option("cpus-per-task", "ntasks-per-node"),
            requested=tasks * each,
            limit=own,
        )
