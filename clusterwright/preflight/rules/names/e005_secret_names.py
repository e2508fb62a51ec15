"""Names of the secrets that are built are free."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from clusterwright.platforms.derived_names import secrets
from clusterwright.preflight.context import Context
from clusterwright.preflight.facts.deployment import NamedSecret
from clusterwright.preflight.facts.fact import Fact, FactValues
from clusterwright.preflight.rule import Fail, Subject, Verdict
from clusterwright.preflight.rules.names.name_conflicts import (
    HERE,
    TakenNameRule,
    own_stacks,
    taken,
)


class SecretNames(TakenNameRule):
    id = "CW-E005"
    title = "Names of the secrets are free"
    prevents = (
        "CreateSecret fails: a secret of that name exists, or is scheduled for deletion and keeps "
        "its name for days"
    )
    source = "Secrets Manager CreateSecret, DeleteSecret: a recovery window of 7 to 30 days"

    def subjects(self, context: Context) -> Iterable[Subject[str]]:
        for name in secrets(context.cluster):
            yield Subject(HERE, name)

    def needs(self, subject: Subject[str], context: Context) -> Iterable[Fact[Any]]:
        return (NamedSecret(subject.value), own_stacks(context))

    def check(
        self, subject: Subject[str], context: Context, facts: FactValues
    ) -> Iterator[Verdict]:
        found = facts[NamedSecret(subject.value)]
        if found is None:
            return
        own = facts[own_stacks(context)].has("AWS::SecretsManager::Secret", found.arn)
        if found.deleted:
            yield Fail(
                message=f"the secret {subject.value} is scheduled for deletion and keeps its name "
                "until then",
                requested=subject.value,
                where=found.arn,
                hint=f"`aws secretsmanager delete-secret --secret-id {subject.value} "
                "--force-delete-without-recovery`, if nobody needs it",
            )
        elif not own:
            hint = "delete it, or choose another environment"
            yield taken("a secret", subject, context, hint=hint)


RULE = SecretNames()
