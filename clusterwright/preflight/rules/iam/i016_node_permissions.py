"""The role of nodes that are deployed may still do what nodes do."""

from __future__ import annotations

from clusterwright.platforms.node_permissions import node_permissions
from clusterwright.preflight.facts.deployment import DeployedRoleMay
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


class NodeRights(Rule[DeployedRoleMay]):
    id = "CW-I016"
    title = "The role of deployed nodes may do what nodes do"
    prevents = (
        "new nodes that fail where the old ones did not: somebody changed the role, its boundary "
        "or the organisation's policies since"
    )
    source = "IAM SimulatePrincipalPolicy; awslabs/awsome-distributed-ai #1202"

    def subjects(self, context: Context) -> Subjects[DeployedRoleMay]:
        if context.on_hyperpod:
            cluster = context.cluster
            asked = simulations(
                right
                for right in node_permissions(cluster)
                # What has an id of its own only after deployment is granted by that id.
                if not any(own in right.resource for own in _BY_ID)
            )
            role = DeployedRoleMay(cluster.partition, cluster.account, cluster.environment, asked)
            yield Subject(("environment",), role)

    def needs(self, asked: DeployedRoleMay) -> Facts:
        return (asked,)

    def check(self, asked: DeployedRoleMay, context: Context, facts: FactValues) -> Results:
        results = facts[asked]
        if results is None:
            return  # nothing is deployed yet
        yield from verdicts(
            results,
            "a node",
            hint="`cdk deploy` puts the role's policies right; a boundary it does not change",
            where=f"{context.cluster.environment}-identity",
        )


_BY_ID = (":secretsmanager:", ":key/cluster", ":aps:", ":network-interface/")

RULE = NodeRights()
