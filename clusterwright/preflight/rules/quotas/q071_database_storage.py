"""Storage of all DB instances of the region."""

from __future__ import annotations

from collections.abc import Iterable

from clusterwright.preflight.context import Context
from clusterwright.preflight.facts.counts import Databases
from clusterwright.preflight.facts.fact import FactValues
from clusterwright.preflight.rule import Subject
from clusterwright.preflight.rules.quotas.quota_rule import QuotaRule, Use, Want


class DatabaseStorageQuota(QuotaRule):
    id = "CW-Q071"
    title = "RDS storage of the region"
    prevents = "CreateDBInstance fails with StorageQuotaExceeded"
    source = "a census of the Service Quotas catalogue in a public repository"
    usage_facts = (Databases(),)

    def subjects(self, context: Context) -> Iterable[Subject[Want]]:
        accounting = context.cluster.slurm.accounting
        if accounting.kind == "rds" and accounting.existing is None:
            want = Want(
                accounting.capacity_gib,
                "the accounting database needs",
                "Total storage for all DB instances",
                "rds",
                "L-7ADDB58A",
                unit="GB",
            )
            yield Subject(("slurm", "accounting", "capacity_gib"), want)

    def uses(self, want: Want, context: Context, facts: FactValues) -> Iterable[Use]:
        del want
        return [
            Use(one.capacity_gib, context.stack_is_ours(one.stack)) for one in facts[Databases()]
        ]


RULE = DatabaseStorageQuota()
