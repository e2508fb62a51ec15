"""The nodes have the CPUs that the job requests."""

from __future__ import annotations

from clusterwright.jobs.rule import Fail, Job, JobRule, Results


class EnoughCpus(JobRule):
    id = "CW-J017"
    severity = "error"
    prevents = "a submission that Slurm refuses: requested node configuration is not available"
    source = (
        "sbatch(1), --cpus-per-task, --ntasks-per-node, --ntasks, --overcommit; cores and threads "
        "of the catalogue; ArjunaCluster/ArjunaUsers#75"
    )

    def check(self, job: Job) -> Results:
        each = job.file.count("cpus-per-task") or 1
        tasks = job.file.count("ntasks-per-node")
        if tasks is None and job.file.option("ntasks") is None:
            tasks = 1
        own = job.cpus_per_node
        if own is None:
            return
        if tasks is None or tasks * each <= own:
            yield from _all_tasks(job, each, own)
            return
        yield Fail(
            message=f"{tasks * each} CPUs per node are requested ({tasks} tasks with {each}), the "
            f"nodes of {job.where} have {own}",
            at=job.file.option("cpus-per-task", "ntasks-per-node"),
            requested=tasks * each,
            limit=own,
        )


def _all_tasks(job: Job, each: int, own: int | float) -> Results:
    """More tasks of the whole job than its nodes have CPUs for."""
    tasks, nodes = job.file.count("ntasks"), job.file.nodes
    if tasks is None or nodes is None or job.file.option("overcommit") is not None:
        return
    most = nodes[1] * int(own // each)
    if tasks <= most:
        return
    yield Fail(
        message=f"{tasks} tasks with {each} CPUs each do not fit on {nodes[1]} nodes of "
        f"{job.where}, which have {own} each",
        at=job.file.option("ntasks"),
        requested=tasks * each,
        limit=nodes[1] * own,
        hint="more --nodes, or fewer --ntasks: threads of a task are --cpus-per-task",
    )
