"""DB subnet groups of the region."""

from __future__ import annotations

from collections.abc import Iterable

from clusterwright.preflight.context import Context
from clusterwright.preflight.facts.counts import Databases, DatabaseSubnetGroups
from clusterwright.preflight.facts.fact import FactValues
from clusterwright.preflight.quota import QuotaRule, Use, Want
from clusterwright.preflight.rule import Subject


class DatabaseSubnetGroupQuota(QuotaRule):
    id = "CW-Q072"
    title = "RDS subnet groups of the region"
    prevents = "CreateDBSubnetGroup fails with DBSubnetGroupQuotaExceeded"
    source = "a census of the Service Quotas catalogue in a public repository"
    usage_facts = (DatabaseSubnetGroups(), Databases())

    def subjects(self, context: Context) -> Iterable[Subject[Want]]:
        accounting = context.cluster.slurm.accounting
        if accounting.kind == "rds" and accounting.existing is None:
            want = Want(
                1, "the accounting database needs", "DB subnet groups", "rds", "L-48C6BF61"
            )
            yield Subject(("slurm", "accounting", "kind"), want)

    def uses(self, want: Want, context: Context, facts: FactValues) -> Iterable[Use]:
        del want
        return [*(Use(1, False) for _ in facts[DatabaseSubnetGroups()]), *_own(context, facts)]


def _own(context: Context, facts: FactValues) -> list[Use]:
    """One of them is ours where our database stands: its name is CloudFormation's."""
    ours = any(context.stack_is_ours(one.stack) for one in facts[Databases()])
    return [Use(-1, False), Use(1, True)] if ours else []


RULE = DatabaseSubnetGroupQuota()
