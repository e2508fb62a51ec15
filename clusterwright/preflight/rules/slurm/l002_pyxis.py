"""Containers in Slurm jobs are tested by a job."""

from __future__ import annotations

from clusterwright.preflight.rule import Context, Fail, Results, Rule, Subjects


class Pyxis(Rule[None]):
    id = "CW-L002"
    severity = "warning"
    prevents = (
        "a cluster whose image has no Pyxis or Enroot, which the first container job reveals"
    )
    source = "awslabs/awsome-distributed-ai #427"

    def subjects(self, context: Context) -> Subjects[None]:
        if context.cluster.slurm.containers.pyxis:
            yield ("slurm", "containers", "pyxis"), None

    def check(self, context: Context) -> Results:
        mirrored = context.cluster.slurm.containers.install == "mirrored"
        what = (
            "has the dependencies of Enroot's packages, and a compiler for Pyxis,"
            if mirrored
            else "includes Enroot and Pyxis"
        )
        yield Fail(
            message=f"whether the image {what} is not known before a node runs",
            hint="after deployment: `srun --container-image=ubuntu:24.04 true`",
        )
