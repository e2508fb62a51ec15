"""DB parameter groups of the region."""

from __future__ import annotations

from clusterwright.preflight.facts.counts import DatabaseParameterGroups, Databases
from clusterwright.preflight.rules.quotas.database_usage import DatabaseGroupQuota


class DatabaseParameterGroupQuota(DatabaseGroupQuota):
    id = "CW-Q073"
    title = "RDS parameter groups of the region"
    prevents = "CreateDBParameterGroup fails with DBParameterGroupQuotaExceeded"
    code, label = "L-DE55804A", "Parameter groups"
    groups = DatabaseParameterGroups()
    usage_facts = (groups, Databases())


RULE = DatabaseParameterGroupQuota()
