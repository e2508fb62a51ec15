"""Users log in to login nodes, not to the controller."""

from __future__ import annotations

from clusterwright.catalog import Known
from clusterwright.cluster_spec.models.compute import ComputeGroup
from clusterwright.preflight.rule import Context, Fail, Results, Rule, Subjects


class LoginNodes(Rule[int]):
    id = "CW-L008"
    severity = "warning"
    prevents = (
        "Slurm and its database killed because a user's program uses the controller's memory"
    )
    source = "aws/aws-parallelcluster #2701"

    def subjects(self, context: Context) -> Subjects[int]:
        cluster = context.cluster
        if cluster.uses_slurm and cluster.slurm.users:
            yield ("slurm", "users"), len(cluster.slurm.users)

    def check(self, users: int, context: Context) -> Results:
        controllers = [g for g in context.cluster.compute if g.role == "controller"]
        if any(group.role == "login" and group.count for group in context.cluster.compute):
            return
        logins = "1 user logs in" if users == 1 else f"{users} users log in"
        yield Fail(
            message=f"{logins} on the controller: a program that uses all of its memory stops "
            "slurmctld, and with it the cluster",
            hint=f"add {{name: login, role: login, instance_type: {_type(controllers, context)}, "
            "count: 1}",
        )


def _type(controllers: list[ComputeGroup], context: Context) -> str:
    """A type of the controller's architecture: ParallelCluster requires the same for login
    nodes.
    """
    found = (context.catalog.instance(group.instance_type) for group in controllers)
    known = [instance.architecture for instance in found if instance is not None]
    arm = any(isinstance(a, Known) and a.value == "arm64" for a in known)
    return "m7g.4xlarge" if arm else "m5.4xlarge"
