"""The alias of the key that is built is free."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from clusterwright.platforms.derived_names import key_alias
from clusterwright.preflight.context import Context
from clusterwright.preflight.facts.buckets import KeyAlias
from clusterwright.preflight.facts.fact import Fact, FactValues
from clusterwright.preflight.rule import Subject, Verdict
from clusterwright.preflight.rules.names.name_conflicts import (
    HERE,
    TakenNameRule,
    own_stacks,
    taken,
)


class AliasName(TakenNameRule):
    id = "CW-E004"
    title = "The alias of the key is free"
    prevents = "CreateAlias fails with AlreadyExistsException, as after a stack that was retained"
    source = "KMS CreateAlias"

    def subjects(self, context: Context) -> Iterable[Subject[str]]:
        name = key_alias(context.cluster)
        if name is not None:
            yield Subject(HERE, name)

    def needs(self, subject: Subject[str], context: Context) -> Iterable[Fact[Any]]:
        return (KeyAlias(subject.value), own_stacks(context))

    def check(
        self, subject: Subject[str], context: Context, facts: FactValues
    ) -> Iterator[Verdict]:
        key = facts[KeyAlias(subject.value)]
        if key is None or facts[own_stacks(context)].has("AWS::KMS::Alias", subject.value):
            return
        hint = f"identity: {{kms_key_arn: {key.arn}}} uses that key; or delete the alias"
        yield taken("an alias", subject, context, hint=hint)


RULE = AliasName()
