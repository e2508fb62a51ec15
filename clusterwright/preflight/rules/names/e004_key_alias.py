"""The alias of the key that is built is free."""

from __future__ import annotations

from clusterwright.platforms.derived_names import key_alias
from clusterwright.preflight.facts.buckets import KeyAlias
from clusterwright.preflight.rule import Context, Facts, FactValues, Results, Subject, Subjects
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

    def subjects(self, context: Context) -> Subjects[str]:
        name = key_alias(context.cluster)
        if name is not None:
            yield Subject(HERE, name)

    def needs(self, name: str, context: Context) -> Facts:
        return (KeyAlias(name), own_stacks(context))

    def check(self, name: str, context: Context, facts: FactValues) -> Results:
        key = facts[KeyAlias(name)]
        if key is None or facts[own_stacks(context)].has("AWS::KMS::Alias", name):
            return
        hint = f"identity: {{kms_key_arn: {key.arn}}} uses that key; or delete the alias"
        yield taken("an alias", name, context, hint=hint)


RULE = AliasName()
