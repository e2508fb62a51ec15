"""The nodes have the memory that the job requests, in one way, and Slurm reserves it."""

from __future__ import annotations

from clusterwright.jobs import values
from clusterwright.jobs.rule import Fail, Job, JobRule, Results
from clusterwright.platforms.node_hardware import hardware

_WAYS = ("mem", "mem-per-cpu", "mem-per-gpu")


class EnoughMemory(JobRule):
    id = "CW-J018"
    severity = "error"
    prevents = "a submission that Slurm refuses: memory specification can not be satisfied"
    source = (
        "sbatch(1), --mem, --mem-per-cpu; memory of the instance type in the catalogue; "
        "slurm.conf(5), SelectTypeParameters: CR_CPU does not count memory; "
        "aws/aws-parallelcluster#2804"
    )

    def check(self, job: Job) -> Results:
        ways = [o for name in _WAYS if (o := job.file.option(name)) is not None]
        if len(ways) > 1:
            yield Fail(
                message=f"{' and '.join(f'--{way.name}' for way in ways)} are mutually exclusive: "
                "sbatch refuses the job",
                at=ways[1],
                hint="state the memory in one way",
            )
        if ways and not (job.exclusive or job.whole_nodes) and _ignored(job):
            yield Fail(
                message=f"Slurm of this cluster selects nodes by CPUs alone: --{ways[0].name} "
                "reserves nothing, and jobs on the same node can use up its memory",
                at=ways[0],
                severity="warning",
                hint="--exclusive, or as many CPUs as go with the memory",
            )
        option = job.file.option("mem", "mem-per-cpu")
        own = job.largest(hardware(group, job.catalog)["memory_mib"] for group in job.groups)
        if option is None or own is None:
            return
        try:
            wanted = values.memory_mib(option.value)
        except ValueError:
            return  # CW-J006
        if option.name == "mem-per-cpu":
            tasks = job.file.count("ntasks-per-node") or 1
            wanted *= tasks * (job.file.count("cpus-per-task") or 1)
        if wanted > own:
            yield Fail(
                message=f"{wanted / 1024:,.0f} GiB of memory per node are requested, the nodes of "
                f"{job.where} have {own / 1024:,.0f}, of which Slurm keeps some for the system",
                at=option,
                requested=round(wanted),
                limit=own,
                where="MiB",
                hint="--mem=0 requests all the memory that Slurm gives to jobs",
            )


def _ignored(job: Job) -> bool:
    """Whether no setting of the spec makes Slurm count memory."""
    if not job.cluster.traits.ignores_memory:
        return False
    own = job.cluster.pcs.slurm_settings or {}
    return not own.get("SelectTypeParameters", "").endswith("_Memory")
