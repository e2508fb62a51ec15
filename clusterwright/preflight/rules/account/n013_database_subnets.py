"""The database's subnets exist, in the VPC, in two zones."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from clusterwright.preflight.context import Context
from clusterwright.preflight.existing import HERE, ExistingNetworkRule
from clusterwright.preflight.facts.fact import Fact, FactValues
from clusterwright.preflight.facts.network import Subnets
from clusterwright.preflight.rule import Fail, Subject, Verdict
from clusterwright.spec.models.network import ExistingNetwork


class DatabaseSubnets(ExistingNetworkRule):
    id = "CW-N013"
    title = "The database's subnets are in the VPC and in two zones"
    prevents = "CreateDBSubnetGroup fails: it covers fewer than two zones"
    source = "AWS documentation, RDS subnet groups"

    def subjects(self, context: Context) -> Iterable[Subject[ExistingNetwork]]:
        accounting = context.cluster.slurm.accounting
        if accounting.kind == "rds" and accounting.existing is None:
            yield from super().subjects(context)

    def needs(self, subject: Subject[ExistingNetwork], context: Context) -> Iterable[Fact[Any]]:
        del subject, context
        return (Subnets(),)

    def check(
        self, subject: Subject[ExistingNetwork], context: Context, facts: FactValues
    ) -> Iterator[Verdict]:
        found = {subnet.id: subnet for subnet in facts[Subnets()]}
        zones = []
        for index, subnet_id in enumerate(subject.value.database_subnet_ids):
            path = (*HERE, "database_subnet_ids", index)
            subnet = found.get(subnet_id)
            if subnet is None:
                yield Fail(
                    message=f"there is no subnet {subnet_id} in {context.region}",
                    path=path,
                    requested=subnet_id,
                    where=context.region,
                )
                continue
            zones.append(subnet.zone_id)
            if subnet.vpc_id != subject.value.vpc_id:
                yield Fail(
                    message=f"{subnet_id} is in {subnet.vpc_id}, not in {subject.value.vpc_id}",
                    path=path,
                    requested=subject.value.vpc_id,
                    where=subnet_id,
                )
        if len(zones) == len(subject.value.database_subnet_ids) and len(set(zones)) == 1:
            yield Fail(
                message=f"all database subnets are in {zones[0]}; RDS wants two zones",
                path=(*HERE, "database_subnet_ids"),
            )


RULE = DatabaseSubnets()
