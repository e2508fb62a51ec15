"""CloudFormation's execution role can create the resources of the stacks."""

from __future__ import annotations

from clusterwright.platforms.deployment_permissions import deployment_permissions
from clusterwright.preflight.facts.deployment import RoleMay
from clusterwright.preflight.rule import Context, Facts, FactValues, Results, Rule, Subjects
from clusterwright.preflight.rules.deployment.bootstrap import execution_role_arn
from clusterwright.preflight.rules.iam.simulation import permission_results, simulations


class DeploymentPermissions(Rule[RoleMay]):
    id = "CW-I011"
    prevents = (
        "a deployment that rolls back in its third stack: the execution role, its permissions "
        "boundary or the organization does not allow an action"
    )
    source = (
        "IAM SimulatePrincipalPolicy; service control policies with conditions are not part of "
        "AWS's simulation (IAM user guide)"
    )

    def subjects(self, context: Context) -> Subjects[RoleMay]:
        asked = simulations(deployment_permissions(context.cluster))
        yield ("account",), RoleMay(execution_role_arn(context), asked)

    def needs(self, asked: RoleMay) -> Facts:
        return (asked,)

    def check(self, asked: RoleMay, facts: FactValues) -> Results:
        results = facts[asked]
        if results is None:
            return  # CW-I010 reports that the role is missing
        name = asked.arn.rpartition("/")[2]
        hint = "`cdk bootstrap --cloudformation-execution-policies ...` grants more permissions"
        yield from permission_results(results, name, hint=hint, where=asked.arn)
