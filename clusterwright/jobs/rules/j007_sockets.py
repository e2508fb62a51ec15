"""The nodes have the sockets, cores and threads that the job requests."""

from __future__ import annotations

import re

from clusterwright.jobs.rule import Fail, Job, JobRule, Results
from clusterwright.platforms.node_hardware import hardware

SOCKETS = 1
"""Sockets of every node in the generated slurm.conf, with all cores
(`lifecycle_scripts/clusterwright_node/slurm_generate.py`): EC2 states no number."""


class Sockets(JobRule):
    id = "CW-J007"
    severity = "error"
    prevents = "a submission that Slurm refuses: requested node configuration is not available"
    source = (
        "sbatch(1), --sockets-per-node, --cores-per-socket, --threads-per-core and "
        "--extra-node-info: nodes with at least as many (tried with slurmctld 24.11.5 on "
        "2026-11-29), and --ntasks-per-socket, at most; the generated slurm.conf; "
        "aws/aws-parallelcluster#282; uabrc/uabrc.github.io#985"
    )

    def check(self, job: Job) -> Results:
        # Others than the generated slurm.conf have numbers that no source states.
        if job.cluster.slurm.configuration != "scripted":
            return
        found = [hardware(group, job.catalog) for group in job.groups]
        most = {
            "sockets-per-node": ("sockets", SOCKETS),
            "cores-per-socket": ("cores per socket", job.largest(h["cores"] for h in found)),
            "threads-per-core": (
                "threads per core",
                job.largest(h["threads_per_core"] for h in found),
            ),
        }
        for name, (what, own) in most.items():
            stated = job.file.count(name)
            if stated is not None and own is not None and stated > own:
                yield Fail(
                    message=f"{stated} {what} are requested, and slurm.conf has {own} for the "
                    f"nodes of {job.where}",
                    at=job.file.option(name),
                    requested=stated,
                    limit=own,
                    hint="--ntasks-per-node and --cpus-per-task say what the job needs",
                )
        yield from _tasks(job)
        whole = job.file.option("extra-node-info")
        parts = whole.value.split(":") if whole is not None else []
        for text, (what, own) in zip(parts, most.values(), strict=False):
            if re.fullmatch(r"\d+", text) and own is not None and int(text) > own:
                yield Fail(
                    message=f"{text} {what} are requested, and slurm.conf has {own} for the "
                    f"nodes of {job.where}",
                    at=whole,
                    requested=int(text),
                    limit=own,
                )


def _tasks(job: Job) -> Results:
    """--ntasks-per-socket is a maximum, and there is one socket."""
    each, tasks = job.file.count("ntasks-per-socket"), job.tasks_per_node()
    stated = job.file.option("ntasks", "ntasks-per-node")
    if each is None or tasks is None or stated is None or tasks <= each * SOCKETS:
        return
    yield Fail(
        message=f"{tasks} tasks per node are requested, with at most {each} per socket, and "
        f"slurm.conf has {SOCKETS} socket for the nodes of {job.where}",
        at=job.file.option("ntasks-per-socket"),
        requested=tasks,
        limit=each * SOCKETS,
        hint="--ntasks-per-node says how many tasks a node gets",
    )
