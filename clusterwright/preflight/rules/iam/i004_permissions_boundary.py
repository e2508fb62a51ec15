"""The permissions boundary exists."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from clusterwright.preflight.context import Context
from clusterwright.preflight.facts.fact import Fact, FactValues
from clusterwright.preflight.facts.storage import Policy
from clusterwright.preflight.rule import Fail, Rule, Subject, Verdict


class PermissionsBoundary(Rule[str]):
    id = "CW-I004"
    title = "The permissions boundary exists"
    severity = "error"
    prevents = "CreateRole fails, and with it the first stack"
    source = "IAM GetPolicy"

    def subjects(self, context: Context) -> Iterable[Subject[str]]:
        arn = context.cluster.identity.permissions_boundary_arn
        if arn is not None:
            yield Subject(("identity", "permissions_boundary_arn"), arn)

    def needs(self, subject: Subject[str], context: Context) -> Iterable[Fact[Any]]:
        del context
        return (Policy(subject.value),)

    def check(
        self, subject: Subject[str], context: Context, facts: FactValues
    ) -> Iterator[Verdict]:
        del context
        if not facts[Policy(subject.value)]:
            yield Fail(
                message=f"there is no policy {subject.value}", requested=subject.value, where="IAM"
            )


RULE = PermissionsBoundary()
