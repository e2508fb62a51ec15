"""The database's subnets exist, in the VPC, in two zones."""

from __future__ import annotations

from collections.abc import Iterable

from clusterwright.cluster_spec.models.network import ExistingNetwork
from clusterwright.preflight.context import Context
from clusterwright.preflight.rule import Subject
from clusterwright.preflight.rules.network.existing_network import TwoZonesRule


class DatabaseSubnets(TwoZonesRule):
    id = "CW-N013"
    title = "The database's subnets are in the VPC and in two zones"
    prevents = "CreateDBSubnetGroup fails: it covers fewer than two zones"
    source = "AWS documentation, RDS subnet groups"
    key = "database_subnet_ids"
    all_in = "all database subnets are in {zone}; RDS wants two zones"

    def subjects(self, context: Context) -> Iterable[Subject[ExistingNetwork]]:
        accounting = context.cluster.slurm.accounting
        if accounting.kind == "rds" and accounting.existing is None:
            yield from super().subjects(context)


RULE = DatabaseSubnets()
