"""The role of deployed nodes has the permissions that nodes need."""

from __future__ import annotations

from clusterwright.platforms.node_permissions import node_permissions
from clusterwright.preflight.facts.deployment import DeployedRoleMay
from clusterwright.preflight.rule import Context, Facts, FactValues, Results, Rule, Subjects
from clusterwright.preflight.rules.iam.simulation import permission_results, simulations


class NodePermissions(Rule[DeployedRoleMay]):
    id = "CW-I016"
    prevents = (
        "new nodes that fail although the existing ones work: the role, its permissions boundary "
        "or the organization's policies have changed"
    )
    source = "IAM SimulatePrincipalPolicy; awslabs/awsome-distributed-ai #1202"

    def subjects(self, context: Context) -> Subjects[DeployedRoleMay]:
        if context.on_hyperpod:
            cluster = context.cluster
            asked = simulations(
                permission
                for permission in node_permissions(cluster)
                # Resources whose id is known only after deployment are granted by that id.
                if not any(part in permission.resource for part in _BY_ID)
            )
            role = DeployedRoleMay(cluster.partition, cluster.account, cluster.environment, asked)
            yield ("environment",), role

    def needs(self, asked: DeployedRoleMay) -> Facts:
        return (asked,)

    def check(self, asked: DeployedRoleMay, context: Context, facts: FactValues) -> Results:
        results = facts[asked]
        if results is None:
            return  # nothing is deployed yet
        yield from permission_results(
            results,
            "a node",
            hint="`cdk deploy` restores the role's policies; it does not change a permissions "
            "boundary",
            where=f"{context.cluster.environment}-identity",
        )


_BY_ID = (":secretsmanager:", ":key/cluster", ":aps:", ":network-interface/")

RULE = NodePermissions()
