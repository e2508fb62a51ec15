"""The roles and users of access entries exist."""

from __future__ import annotations

from clusterwright.preflight.facts.references import NamedRole, NamedUser
from clusterwright.preflight.rule import Context, Facts, FactValues, Fail, Results, Rule, Subjects


class AccessPrincipals(Rule[str]):
    id = "CW-I018"
    prevents = (
        "CreateAccessEntry fails and the deployment rolls back: `The specified principalArn is "
        "invalid: invalid principal`; a principal whose path is missing in the ARN has no access"
    )
    source = (
        "EKS user guide, Create access entries: the ARN of one existing IAM principal; "
        "terraform-aws-modules/terraform-aws-eks#2969; IAM GetRole, GetUser"
    )

    def subjects(self, context: Context) -> Subjects[str]:
        for index, entry in enumerate(context.cluster.kubernetes.access):
            path = ("kubernetes", "access", index, "principal_arn")
            yield path, entry.principal_arn

    def needs(self, arn: str, context: Context) -> Facts:
        if _account(arn) != context.cluster.account:
            return ()
        name = arn.rpartition("/")[2]
        return (NamedRole(name),) if _is_role(arn) else (NamedUser(name),)

    def check(self, arn: str, context: Context, facts: FactValues) -> Results:
        if _account(arn) != context.cluster.account:
            yield Fail(
                message=f"{arn} is in another account, where it cannot be read: whether it exists "
                "is not known",
                severity="info",
                where=_account(arn),
                hint="ask its owner: `aws iam get-role`, or `get-user`, in that account",
            )
            return
        name = arn.rpartition("/")[2]
        kind = "role" if _is_role(arn) else "user"
        if kind == "role":
            role = facts[NamedRole(name)]
            found = None if role is None else role.arn
        else:
            found = facts[NamedUser(name)]
        if found is None:
            yield Fail(
                message=f"the {kind} {name} does not exist in {context.cluster.account}",
                requested=arn,
                where=context.cluster.account,
                hint=f"create the {kind} first, or correct the ARN",
            )
        elif found != arn:
            yield Fail(
                message=f"the ARN of the {kind} {name} is {found}: its path is different",
                requested=arn,
                limit=found,
                where=context.cluster.account,
                hint=f"principal_arn: {found}",
            )


def _account(arn: str) -> str:
    return arn.split(":")[4]


def _is_role(arn: str) -> bool:
    return arn.split(":")[5].startswith("role/")
