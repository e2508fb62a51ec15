"""People work on nodes of their own, and not on the machine that runs Slurm."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from clusterwright.preflight.context import Context
from clusterwright.preflight.facts.fact import FactValues
from clusterwright.preflight.rule import Fail, Rule, Subject, Verdict


class LoginNodes(Rule[int]):
    id = "CW-L008"
    title = "People work on nodes of their own, beside the controller"
    severity = "warning"
    scope = "offline"
    prevents = (
        "Slurm and its database ended by a user's program that takes the controller's memory"
    )
    source = "aws/aws-parallelcluster #2701"

    def subjects(self, context: Context) -> Iterable[Subject[int]]:
        cluster = context.cluster
        if cluster.uses_slurm and cluster.slurm.users:
            yield Subject(("slurm", "users"), len(cluster.slurm.users))

    def check(
        self, subject: Subject[int], context: Context, facts: FactValues
    ) -> Iterator[Verdict]:
        del facts
        if any(group.role == "login" and group.count for group in context.cluster.compute):
            return
        people = "1 user signs in" if subject.value == 1 else f"{subject.value} users sign in"
        yield Fail(
            message=f"{people} on the controller: a program there that takes all memory ends "
            "slurmctld, and the cluster with it",
            hint="add {name: login, role: login, instance_type: m5.4xlarge, count: 1}",
        )


RULE = LoginNodes()
