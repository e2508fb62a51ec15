"""DB instances of the region."""

from __future__ import annotations

from collections.abc import Iterable

from clusterwright.preflight.context import Context
from clusterwright.preflight.facts.counts import Databases
from clusterwright.preflight.facts.fact import FactValues
from clusterwright.preflight.rule import Subject
from clusterwright.preflight.rules.quotas.quota_rule import QuotaRule, Use, Want


class DatabaseQuota(QuotaRule):
    id = "CW-Q070"
    title = "RDS DB instances of the region"
    prevents = "CreateDBInstance fails with InstanceQuotaExceeded: 40 are the default"
    source = "tables of default quotas in public repositories"
    usage_facts = (Databases(),)

    def subjects(self, context: Context) -> Iterable[Subject[Want]]:
        accounting = context.cluster.slurm.accounting
        if accounting.kind == "rds" and accounting.existing is None:
            want = Want(1, "the accounting database needs", "DB instances", "rds", "L-7B6409FD")
            yield Subject(("slurm", "accounting", "kind"), want)

    def uses(self, want: Want, context: Context, facts: FactValues) -> Iterable[Use]:
        del want
        return [Use(1, context.stack_is_ours(one.stack)) for one in facts[Databases()]]


RULE = DatabaseQuota()
