"""Nodes can decrypt the secret of the accounting database."""

from __future__ import annotations

from typing import Final

from clusterwright.preflight.facts.deployment import NamedSecret
from clusterwright.preflight.rule import Context, Facts, FactValues, Fail, Results, Rule, Subjects

_AWS_OWN: Final = "alias/aws/secretsmanager"


class SecretKey(Rule[str]):
    id = "CW-I009"
    prevents = (
        "slurmdbd does not start: the role of the nodes has permissions on the cluster's key only"
    )
    source = (
        "Secrets Manager user guide, secret encryption and decryption; "
        "stacks/hyperpod_slurm/node_role"
    )

    def subjects(self, context: Context) -> Subjects[str]:
        existing = context.cluster.slurm.accounting.existing
        if existing is not None:
            yield ("slurm", "accounting", "existing", "secret_arn"), existing.secret_arn

    def needs(self, arn: str) -> Facts:
        return (NamedSecret(arn),)

    def check(self, arn: str, context: Context, facts: FactValues) -> Results:
        found = facts[NamedSecret(arn)]
        if found is None or found.deleted:
            return  # CW-I005 reports it
        own = context.cluster.identity.kms_key_arn
        account = arn.split(":")[4]
        if found.kms_key is None or found.kms_key.endswith(_AWS_OWN):
            if account != context.cluster.account:
                yield Fail(
                    message="the secret belongs to another account and is encrypted with the AWS "
                    "managed key, which other accounts cannot use",
                    where=found.arn,
                    hint="encrypt it with a customer managed key that this account can use",
                )
            return
        if own is not None and found.kms_key in (own, own.rpartition("/")[2]):
            return
        yield Fail(
            message=f"the secret is encrypted with {found.kms_key}, on which nodes have no "
            "permissions",
            requested=found.kms_key,
            limit=own,
            where=found.arn,
            hint="encrypt it with identity.kms_key_arn, or with alias/aws/secretsmanager",
        )
