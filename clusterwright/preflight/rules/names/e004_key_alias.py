"""The alias of the KMS key is available."""

from __future__ import annotations

from clusterwright.platforms.derived_names import key_alias
from clusterwright.preflight.facts.buckets import KeyAlias
from clusterwright.preflight.rule import Context, Facts, FactValues, Results, Subjects
from clusterwright.preflight.rules.names.name_conflicts import (
    HERE,
    NameConflictRule,
    name_conflict,
    own_stacks,
)


class AliasName(NameConflictRule):
    id = "CW-E004"
    prevents = "CreateAlias fails with AlreadyExistsException, for example after a retained stack"
    source = "KMS CreateAlias"

    def subjects(self, context: Context) -> Subjects[str]:
        name = key_alias(context.cluster)
        if name is not None:
            yield HERE, name

    def needs(self, name: str, context: Context) -> Facts:
        return (KeyAlias(name), own_stacks(context))

    def check(self, name: str, context: Context, facts: FactValues) -> Results:
        key = facts[KeyAlias(name)]
        if key is None or facts[own_stacks(context)].has("AWS::KMS::Alias", name):
            return
        hint = f"identity: {{kms_key_arn: {key.arn}}} uses that key; otherwise delete the alias"
        yield name_conflict("an alias", name, context, hint=hint)
