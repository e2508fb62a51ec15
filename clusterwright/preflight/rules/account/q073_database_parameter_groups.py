"""DB parameter groups of the region."""

from __future__ import annotations

from collections.abc import Iterable

from clusterwright.preflight.context import Context
from clusterwright.preflight.facts.counts import DatabaseParameterGroups, Databases
from clusterwright.preflight.facts.fact import FactValues
from clusterwright.preflight.quota import QuotaRule, Use, Want
from clusterwright.preflight.rule import Subject


class DatabaseParameterGroupQuota(QuotaRule):
    id = "CW-Q073"
    title = "RDS parameter groups of the region"
    prevents = "CreateDBParameterGroup fails with DBParameterGroupQuotaExceeded"
    source = "a census of the Service Quotas catalogue in a public repository"
    usage_facts = (DatabaseParameterGroups(), Databases())

    def subjects(self, context: Context) -> Iterable[Subject[Want]]:
        accounting = context.cluster.slurm.accounting
        if accounting.kind == "rds" and accounting.existing is None:
            want = Want(
                1, "the accounting database needs", "Parameter groups", "rds", "L-DE55804A"
            )
            yield Subject(("slurm", "accounting", "kind"), want)

    def uses(self, want: Want, context: Context, facts: FactValues) -> Iterable[Use]:
        del want
        return [*(Use(1, False) for _ in facts[DatabaseParameterGroups()]), *_own(context, facts)]


def _own(context: Context, facts: FactValues) -> list[Use]:
    """One of them is ours where our database stands: its name is CloudFormation's."""
    ours = any(context.stack_is_ours(one.stack) for one in facts[Databases()])
    return [Use(-1, False), Use(1, True)] if ours else []


RULE = DatabaseParameterGroupQuota()
