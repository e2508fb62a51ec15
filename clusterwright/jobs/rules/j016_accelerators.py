"""The nodes have the accelerators that the job requests."""

from __future__ import annotations

from clusterwright.catalog import Known
from clusterwright.jobs import values
from clusterwright.jobs.rule import Fail, Job, JobRule, Option, Results
from clusterwright.platforms.accelerators import family


class EnoughAccelerators(JobRule):
    id = "CW-J016"
    severity = "error"
    prevents = "a submission that Slurm refuses: requested node configuration is not available"
    source = (
        "sbatch(1), --gres, --gpus-per-node, --gpus; Slurm documentation, Generic Resource (GRES) "
        "Scheduling: types are those of slurm.conf (tried with slurmctld 24.11.5 on 2026-11-29); "
        "accelerators as in the catalogue"
    )

    def check(self, job: Job) -> Results:
        own = job.accelerators_per_node
        if own is None or not job.groups:
            return
        requested = job.requested_accelerators
        if requested is not None and requested[2] is not None:
            option, _, count = requested
            if count is not None and count > own:
                yield Fail(
                    message=f"{count} accelerators per node are requested, the nodes of "
                    f"{job.where} have {own}",
                    at=option,
                    requested=count,
                    limit=own,
                )
                return
        option_all = job.file.option("gpus")
        total = values.gpus(option_all.value)[1] if option_all is not None else None
        nodes = job.file.nodes
        most = nodes[1] if nodes else max(job.available(group) for group in job.groups)
        if total is not None and option_all is not None and total > most * own:
            yield Fail(
                message=f"{total} accelerators are requested, {most} nodes have {most * own}",
                at=option_all,
                requested=total,
                limit=most * own,
            )
        tasks = job.tasks_per_node()
        each = job.file.option("gpus-per-task")
        number = values.gpus(each.value)[1] if each is not None else None
        if tasks and number and each is not None and tasks * number > own:
            yield Fail(
                message=f"{tasks} tasks with {number} accelerators each do not fit on a node with "
                f"{own}",
                at=each,
                requested=tasks * number,
                limit=own,
            )
        if requested is not None and requested[1]:
            yield from _typed(job, *requested[:2])


def _typed(job: Job, option: Option, kind: str) -> Results:
    known = _types(job)
    if known is None or kind.lower() in known:
        return
    yield Fail(
        message=f"accelerators of the type {kind} are requested, and slurm.conf has "
        + (f"the type {', '.join(sorted(known))}" if known else "no types of them"),
        at=option,
        requested=kind,
        limit=", ".join(sorted(known)) or None,
        hint="leave the type out; --constraint selects nodes by group or instance type",
    )


def _ec2_name(job: Job, instance_type: str) -> str | None:
    """EC2's name of the GPUs, empty without; None if EC2 is not the source, or of Neuron.

    The catalogue's own name may differ: EC2 has one name for both A100.
    """
    instance = job.catalog.instance(instance_type)
    name = instance.accelerator_name if instance is not None else None
    if not isinstance(name, Known) or family(instance_type, job.catalog) == "neuron":
        return None
    return name.value if "DescribeInstanceTypes" in name.source else None


def _types(job: Job) -> frozenset[str] | None:
    """Types of accelerators in slurm.conf; None if no source states them."""
    if job.cluster.traits.typed_gres:
        names = [_ec2_name(job, group.instance_type) for group in job.groups]
        if None in names:
            return None
        # `Gres=gpu:a100:8` (aws/aws-parallelcluster-node#398); in lower case and without spaces,
        # as _gpu_type of aws/aws-parallelcluster-cookbook does it.
        return frozenset(name.replace(" ", "").lower() for name in names if name)
    # `Gres=gpu:8` (lifecycle_scripts/clusterwright_node/slurm_generate.py).
    return frozenset() if job.cluster.slurm.configuration == "scripted" else None
