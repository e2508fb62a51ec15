"""The role of nodes that are deployed may still do what nodes do."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from clusterwright.platforms.node_permissions import node_permissions
from clusterwright.preflight.context import Context
from clusterwright.preflight.facts.deployment import DeployedRoleMay
from clusterwright.preflight.facts.fact import Fact, FactValues
from clusterwright.preflight.rule import Rule, Subject, Verdict
from clusterwright.preflight.rules.iam.simulation import simulations, verdicts


class NodeRights(Rule[DeployedRoleMay]):
    id = "CW-I016"
    title = "The role of deployed nodes may do what nodes do"
    severity = "error"
    prevents = (
        "new nodes that fail where the old ones did not: somebody changed the role, its boundary "
        "or the organisation's policies since"
    )
    source = "IAM SimulatePrincipalPolicy; awslabs/awsome-distributed-ai #1202"

    def subjects(self, context: Context) -> Iterable[Subject[DeployedRoleMay]]:
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

    def needs(self, subject: Subject[DeployedRoleMay], context: Context) -> Iterable[Fact[Any]]:
        del context
        return (subject.value,)

    def check(
        self, subject: Subject[DeployedRoleMay], context: Context, facts: FactValues
    ) -> Iterator[Verdict]:
        results = facts[subject.value]
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
