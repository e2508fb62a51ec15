"""The permissions boundary leaves the nodes what they need."""

from __future__ import annotations

from clusterwright.platforms.node_permissions import node_permissions
from clusterwright.preflight.facts.deployment import BoundaryLeaves
from clusterwright.preflight.rule import (
    Context,
    Facts,
    FactValues,
    Results,
    Rule,
    Subject,
    Subjects,
)
from clusterwright.preflight.rules.iam.simulation import simulations, verdicts


class BoundaryRights(Rule[BoundaryLeaves]):
    id = "CW-I012"
    title = "The permissions boundary leaves the nodes what they need"
    prevents = "nodes that cannot fetch their scripts, mount storage or send logs, and fail"
    source = "IAM SimulateCustomPolicy; IAM user guide, permissions boundaries"

    def subjects(self, context: Context) -> Subjects[BoundaryLeaves]:
        arn = context.cluster.identity.permissions_boundary_arn
        if arn is not None:
            asked = simulations(node_permissions(context.cluster))
            yield Subject(("identity", "permissions_boundary_arn"), BoundaryLeaves(arn, asked))

    def needs(self, asked: BoundaryLeaves) -> Facts:
        return (asked,)

    def check(self, asked: BoundaryLeaves, facts: FactValues) -> Results:
        results = facts[asked]
        if results is None:
            return  # CW-I004 says that there is no such policy
        hint = "let the boundary allow them on the cluster's resources"
        yield from verdicts(results, "a node", hint=hint, where=asked.arn)


RULE = BoundaryRights()
