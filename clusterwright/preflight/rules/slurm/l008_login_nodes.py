"""People work on nodes of their own, and not on the machine that runs Slurm."""

from __future__ import annotations

from clusterwright.catalog import Known
from clusterwright.cluster_spec.models.compute import ComputeGroup
from clusterwright.preflight.rule import Context, Fail, Results, Rule, Subject, Subjects


class LoginNodes(Rule[int]):
    id = "CW-L008"
    title = "People work on nodes of their own, beside the controller"
    severity = "warning"
    scope = "offline"
    prevents = (
        "Slurm and its database ended by a user's program that takes the controller's memory"
    )
    source = "aws/aws-parallelcluster #2701"

    def subjects(self, context: Context) -> Subjects[int]:
        cluster = context.cluster
        if cluster.uses_slurm and cluster.slurm.users:
            yield Subject(("slurm", "users"), len(cluster.slurm.users))

    def check(self, users: int, context: Context) -> Results:
        controllers = [g for g in context.cluster.compute if g.role == "controller"]
        if any(group.role == "login" and group.count for group in context.cluster.compute):
            return
        people = "1 user signs in" if users == 1 else f"{users} users sign in"
        yield Fail(
            message=f"{people} on the controller: a program there that takes all memory ends "
            "slurmctld, and the cluster with it",
            hint=f"add {{name: login, role: login, instance_type: {_type(controllers, context)}, "
            "count: 1}",
        )


def _type(controllers: list[ComputeGroup], context: Context) -> str:
    """Of the controller's architecture: ParallelCluster takes no other beside it."""
    found = (context.catalog.instance(group.instance_type) for group in controllers)
    known = [one.architecture for one in found if one is not None]
    arm = any(isinstance(one, Known) and one.value == "arm64" for one in known)
    return "m7g.4xlarge" if arm else "m5.4xlarge"


RULE = LoginNodes()
