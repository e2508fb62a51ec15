"""CloudFormation's role may make what the stacks have."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from clusterwright.platforms.deployment_permissions import deployment_permissions
from clusterwright.preflight.context import Context
from clusterwright.preflight.facts.deployment import RoleMay
from clusterwright.preflight.facts.fact import Fact, FactValues
from clusterwright.preflight.rule import Rule, Subject, Verdict
from clusterwright.preflight.rules.deployment.bootstrap import execution_role_arn
from clusterwright.preflight.rules.iam.simulation import simulations, verdicts


class DeploymentRights(Rule[RoleMay]):
    id = "CW-I011"
    title = "CloudFormation's role may make what the stacks have"
    severity = "error"
    prevents = (
        "a deployment that rolls back in its third stack: the role of the bootstrap, its boundary "
        "or the organisation does not allow an action"
    )
    source = (
        "IAM SimulatePrincipalPolicy; service control policies with conditions are not part of "
        "AWS's simulation (IAM user guide)"
    )

    def subjects(self, context: Context) -> Iterable[Subject[RoleMay]]:
        asked = simulations(deployment_permissions(context.cluster))
        yield Subject(("account",), RoleMay(execution_role_arn(context), asked))

    def needs(self, subject: Subject[RoleMay], context: Context) -> Iterable[Fact[Any]]:
        del context
        return (subject.value,)

    def check(
        self, subject: Subject[RoleMay], context: Context, facts: FactValues
    ) -> Iterator[Verdict]:
        del context
        results = facts[subject.value]
        if results is None:
            return  # CW-I010 says that the role is missing
        name = subject.value.arn.rpartition("/")[2]
        hint = "`cdk bootstrap --cloudformation-execution-policies ...` gives it more"
        yield from verdicts(results, name, hint=hint, where=subject.value.arn)


RULE = DeploymentRights()
