"""DB subnet groups of the region."""

from __future__ import annotations

from clusterwright.preflight.facts.counts import Databases, DatabaseSubnetGroups
from clusterwright.preflight.rules.quotas.database_usage import DatabaseGroupQuota


class DatabaseSubnetGroupQuota(DatabaseGroupQuota):
    id = "CW-Q072"
    title = "RDS subnet groups of the region"
    prevents = "CreateDBSubnetGroup fails with DBSubnetGroupQuotaExceeded"
    code, label = "L-48C6BF61", "DB subnet groups"
    groups = DatabaseSubnetGroups()
    usage_facts = (groups, Databases())


RULE = DatabaseSubnetGroupQuota()
