"""The credentials are of the account that the spec names."""

from __future__ import annotations

from clusterwright.preflight.facts.account import CallerAccount
from clusterwright.preflight.rule import (
    Context,
    FactValues,
    Fail,
    Results,
    Rule,
    Subject,
    Subjects,
)


class SameAccount(Rule[None]):
    id = "CW-I003"
    title = "The checks ask the spec's account"
    severity = "warning"
    prevents = "quotas and networks of another account, taken for those of the cluster's"
    source = "STS GetCallerIdentity"

    def subjects(self, context: Context) -> Subjects[None]:
        del context
        yield Subject(("account",), None)

    needs = (CallerAccount(),)

    def check(self, context: Context, facts: FactValues) -> Results:
        account = facts[CallerAccount()]
        if account != context.cluster.account:
            yield Fail(
                message=f"the credentials are of {account}, the cluster is for "
                f"{context.cluster.account}: every account rule has looked at the wrong account",
                requested=context.cluster.account,
                limit=account,
                where=account,
                hint="set AWS_PROFILE to one of the cluster's account",
            )


RULE = SameAccount()
