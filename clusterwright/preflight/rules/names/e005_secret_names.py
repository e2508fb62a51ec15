"""The names of the secrets are available."""

from __future__ import annotations

from clusterwright.platforms.derived_names import secrets
from clusterwright.preflight.facts.deployment import NamedSecret
from clusterwright.preflight.rule import Context, Facts, FactValues, Fail, Results, Subjects
from clusterwright.preflight.rules.names.name_conflicts import (
    HERE,
    NameConflictRule,
    name_conflict,
    own_stacks,
)


class SecretNames(NameConflictRule):
    id = "CW-E005"
    prevents = (
        "CreateSecret fails: a secret of that name exists, or is scheduled for deletion and keeps "
        "its name for days"
    )
    source = "Secrets Manager CreateSecret, DeleteSecret: a recovery window of 7 to 30 days"

    def subjects(self, context: Context) -> Subjects[str]:
        for name in secrets(context.cluster):
            yield HERE, name

    def needs(self, name: str, context: Context) -> Facts:
        return (NamedSecret(name), own_stacks(context))

    def check(self, name: str, context: Context, facts: FactValues) -> Results:
        found = facts[NamedSecret(name)]
        if found is None:
            return
        own = facts[own_stacks(context)].has("AWS::SecretsManager::Secret", found.arn)
        if found.deleted:
            yield Fail(
                message=f"the secret {name} is scheduled for deletion and keeps its name "
                "until then",
                requested=name,
                where=found.arn,
                hint=f"`aws secretsmanager delete-secret --secret-id {name} "
                "--force-delete-without-recovery`, if it is not needed",
            )
        elif not own:
            hint = "delete it, or use another environment name"
            yield name_conflict("a secret", name, context, hint=hint)
