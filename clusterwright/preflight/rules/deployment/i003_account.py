"""The credentials belong to the account in the spec."""

from __future__ import annotations

from clusterwright.preflight.facts.account import CallerAccount
from clusterwright.preflight.rule import Context, FactValues, Fail, Results, Rule, Subjects


class SameAccount(Rule[None]):
    id = "CW-I003"
    severity = "warning"
    prevents = "quotas and networks of another account are checked instead of the cluster's"
    source = "STS GetCallerIdentity"

    def subjects(self, context: Context) -> Subjects[None]:
        del context
        yield ("account",), None

    needs = (CallerAccount(),)

    def check(self, context: Context, facts: FactValues) -> Results:
        account = facts[CallerAccount()]
        if account != context.cluster.account:
            yield Fail(
                message=f"the credentials belong to {account}, the cluster to "
                f"{context.cluster.account}: every account rule checked the wrong account",
                requested=context.cluster.account,
                limit=account,
                where=account,
                hint="set AWS_PROFILE to a profile of the cluster's account",
            )
