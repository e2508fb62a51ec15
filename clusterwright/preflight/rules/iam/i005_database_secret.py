"""The secret of a database that exists can be read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from clusterwright.preflight.context import Context
from clusterwright.preflight.facts.fact import Fact, FactValues
from clusterwright.preflight.facts.storage import Secret
from clusterwright.preflight.rule import Fail, Rule, Subject, Verdict


class DatabaseSecret(Rule[str]):
    id = "CW-I005"
    title = "The secret of the accounting database exists"
    severity = "error"
    prevents = "slurmdbd never starts, and the cluster has no accounting"
    source = "Secrets Manager DescribeSecret"

    def subjects(self, context: Context) -> Iterable[Subject[str]]:
        existing = context.cluster.slurm.accounting.existing
        if existing is not None:
            yield Subject(("slurm", "accounting", "existing", "secret_arn"), existing.secret_arn)

    def needs(self, subject: Subject[str], context: Context) -> Iterable[Fact[Any]]:
        del context
        return (Secret(subject.value),)

    def check(
        self, subject: Subject[str], context: Context, facts: FactValues
    ) -> Iterator[Verdict]:
        if not facts[Secret(subject.value)]:
            yield Fail(
                message="there is no such secret, or it is about to be deleted",
                requested=subject.value,
                where=context.region,
            )


RULE = DatabaseSecret()
