"""The permissions boundary exists."""

from __future__ import annotations

from clusterwright.preflight.facts.storage import Policy
from clusterwright.preflight.rule import Context, Facts, FactValues, Fail, Results, Rule, Subjects


class PermissionsBoundary(Rule[str]):
    id = "CW-I004"
    prevents = "CreateRole fails, and the first stack with it"
    source = "IAM GetPolicy"

    def subjects(self, context: Context) -> Subjects[str]:
        arn = context.cluster.identity.permissions_boundary_arn
        if arn is not None:
            yield ("identity", "permissions_boundary_arn"), arn

    def needs(self, arn: str) -> Facts:
        return (Policy(arn),)

    def check(self, arn: str, facts: FactValues) -> Results:
        if not facts[Policy(arn)]:
            yield Fail(message=f"the policy {arn} does not exist", requested=arn, where="IAM")
