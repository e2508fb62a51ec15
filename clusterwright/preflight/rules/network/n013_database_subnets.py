"""The database's subnets are in the VPC and in two Availability Zones."""

from __future__ import annotations

from clusterwright.cluster_spec.models.network import ExistingNetwork
from clusterwright.preflight.rule import Context, Subjects
from clusterwright.preflight.rules.network.existing_network import TwoZonesRule


class DatabaseSubnets(TwoZonesRule):
    id = "CW-N013"
    prevents = "CreateDBSubnetGroup fails: it covers fewer than two zones"
    source = "AWS documentation, RDS subnet groups"
    needs = TwoZonesRule.needs
    key = "database_subnet_ids"
    same_zone_message = "all database subnets are in {zone}; RDS requires two zones"

    def subjects(self, context: Context) -> Subjects[ExistingNetwork]:
        accounting = context.cluster.slurm.accounting
        if accounting.kind == "rds" and accounting.existing is None:
            yield from super().subjects(context)
