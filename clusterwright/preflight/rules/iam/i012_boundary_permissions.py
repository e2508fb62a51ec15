"""The permissions boundary allows what the nodes need."""

from __future__ import annotations

from clusterwright.platforms.node_permissions import node_permissions
from clusterwright.preflight.facts.deployment import BoundaryLeaves
from clusterwright.preflight.rule import Context, Facts, FactValues, Results, Rule, Subjects
from clusterwright.preflight.rules.iam.simulation import permission_results, simulations


class BoundaryPermissions(Rule[BoundaryLeaves]):
    id = "CW-I012"
    prevents = "nodes that cannot download their scripts, mount storage or send logs, and fail"
    source = "IAM SimulateCustomPolicy; IAM user guide, permissions boundaries"

    def subjects(self, context: Context) -> Subjects[BoundaryLeaves]:
        arn = context.cluster.identity.permissions_boundary_arn
        if arn is not None:
            asked = simulations(node_permissions(context.cluster))
            yield ("identity", "permissions_boundary_arn"), BoundaryLeaves(arn, asked)

    def needs(self, asked: BoundaryLeaves) -> Facts:
        return (asked,)

    def check(self, asked: BoundaryLeaves, facts: FactValues) -> Results:
        results = facts[asked]
        if results is None:
            return  # CW-I004 reports that the policy does not exist
        hint = "allow them in the permissions boundary, on the cluster's resources"
        yield from permission_results(results, "a node", hint=hint, where=asked.arn)
