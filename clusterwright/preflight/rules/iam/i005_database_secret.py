"""The secret of the accounting database exists."""

from __future__ import annotations

from clusterwright.preflight.facts.storage import Secret
from clusterwright.preflight.rule import Context, Facts, FactValues, Fail, Results, Rule, Subjects


class DatabaseSecret(Rule[str]):
    id = "CW-I005"
    prevents = "slurmdbd does not start, and the cluster has no accounting"
    source = "Secrets Manager DescribeSecret"

    def subjects(self, context: Context) -> Subjects[str]:
        existing = context.cluster.slurm.accounting.existing
        if existing is not None:
            yield ("slurm", "accounting", "existing", "secret_arn"), existing.secret_arn

    def needs(self, arn: str) -> Facts:
        return (Secret(arn),)

    def check(self, arn: str, context: Context, facts: FactValues) -> Results:
        if not facts[Secret(arn)]:
            yield Fail(
                message="the secret does not exist, or is scheduled for deletion",
                requested=arn,
                where=context.region,
            )
