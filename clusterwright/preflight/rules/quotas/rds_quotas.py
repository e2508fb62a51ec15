"""Quotas of RDS, for the Slurm accounting database."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from clusterwright.preflight.facts.counts import (
    DatabaseParameterGroups,
    Databases,
    DatabaseSubnetGroups,
)
from clusterwright.preflight.facts.fact import Fact
from clusterwright.preflight.rule import Context, FactValues, Path
from clusterwright.preflight.rules.quotas.quota_rule import (
    Demands,
    QuotaDemand,
    QuotaRule,
    QuotaUsage,
    ServiceQuota,
    Usage,
    by_stack,
)

_CENSUS = "a census of the Service Quotas catalogue in a public repository"
_KIND: Path = ("slurm", "accounting", "kind")


def _database(
    quota: ServiceQuota, path: Path = _KIND, amount: Callable[[Context], float] = lambda context: 1
) -> Demands:
    """An amount that the accounting database demands, where the stacks create one."""

    def of_context(context: Context) -> float | None:
        accounting = context.cluster.slurm.accounting
        new = accounting.kind == "rds" and accounting.existing is None
        return amount(context) if new else None

    return quota.at(path, "the accounting database needs", of_context)


def _groups(groups: Fact[Any]) -> Usage:
    """The DB groups of the region: one is ours if our database exists (with a generated name)."""

    def count(demand: QuotaDemand, context: Context, facts: FactValues) -> list[QuotaUsage]:
        found = [QuotaUsage(1, False) for _ in facts[groups]]
        if any(context.stack_is_ours(database.stack) for database in facts[Databases()]):
            found += [QuotaUsage(-1, False), QuotaUsage(1, True)]
        return found

    return Usage((groups, Databases()), count)


RULES = (
    QuotaRule(
        id="CW-Q070",
        title="RDS DB instances of the region",
        prevents="CreateDBInstance fails with InstanceQuotaExceeded: the default is 40",
        source="tables of default quotas in public repositories",
        demands=_database(ServiceQuota("rds", "L-7B6409FD", "DB instances")),
        usage=by_stack(Databases()),
    ),
    QuotaRule(
        id="CW-Q071",
        title="RDS storage of the region",
        prevents="CreateDBInstance fails with StorageQuotaExceeded",
        source=_CENSUS,
        demands=_database(
            ServiceQuota("rds", "L-7ADDB58A", "Total storage for all DB instances", "GB"),
            ("slurm", "accounting", "capacity_gib"),
            lambda context: context.cluster.slurm.accounting.capacity_gib,
        ),
        usage=by_stack(Databases(), lambda database: database.capacity_gib),
    ),
    QuotaRule(
        id="CW-Q072",
        title="RDS subnet groups of the region",
        prevents="CreateDBSubnetGroup fails with DBSubnetGroupQuotaExceeded",
        source=_CENSUS,
        demands=_database(ServiceQuota("rds", "L-48C6BF61", "DB subnet groups")),
        usage=_groups(DatabaseSubnetGroups()),
    ),
    QuotaRule(
        id="CW-Q073",
        title="RDS parameter groups of the region",
        prevents="CreateDBParameterGroup fails with DBParameterGroupQuotaExceeded",
        source=_CENSUS,
        demands=_database(ServiceQuota("rds", "L-DE55804A", "Parameter groups")),
        usage=_groups(DatabaseParameterGroups()),
    ),
)
