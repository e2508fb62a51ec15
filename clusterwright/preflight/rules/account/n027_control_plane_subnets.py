"""The control plane's subnets exist, in the VPC, in two zones, with room."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final

from clusterwright.platforms.network import ZONES_WITHOUT_CONTROL_PLANES
from clusterwright.preflight.context import Context
from clusterwright.preflight.existing import HERE, ExistingNetworkRule
from clusterwright.preflight.facts.fact import Fact, FactValues
from clusterwright.preflight.facts.network import Subnets
from clusterwright.preflight.rule import Fail, Subject, Verdict
from clusterwright.spec.models.network import ExistingNetwork

FREE_ADDRESSES: Final = 6
"""Of each subnet (EKS user guide, "View Amazon EKS networking requirements for VPC and
subnets"; it recommends 16)."""


class ControlPlaneSubnets(ExistingNetworkRule):
    id = "CW-N027"
    title = "The control plane's subnets are in the VPC, in two zones, with room"
    prevents = "CreateCluster of EKS fails: subnets in two zones, with 6 free addresses each"
    source = "EKS user guide, View Amazon EKS networking requirements for VPC and subnets"

    def subjects(self, context: Context) -> Iterable[Subject[ExistingNetwork]]:
        if context.cluster.uses_kubernetes:
            yield from super().subjects(context)

    def needs(self, subject: Subject[ExistingNetwork], context: Context) -> Iterable[Fact[Any]]:
        del subject, context
        return (Subnets(),)

    def check(
        self, subject: Subject[ExistingNetwork], context: Context, facts: FactValues
    ) -> Iterator[Verdict]:
        found = {subnet.id: subnet for subnet in facts[Subnets()]}
        zones = []
        for index, subnet_id in enumerate(subject.value.control_plane_subnet_ids):
            path = (*HERE, "control_plane_subnet_ids", index)
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
            if subnet.free_addresses < FREE_ADDRESSES:
                yield Fail(
                    message=f"{subnet_id} has {subnet.free_addresses} free addresses; the control "
                    f"plane needs {FREE_ADDRESSES} in each of its subnets",
                    path=path,
                    requested=FREE_ADDRESSES,
                    limit=subnet.free_addresses,
                    where=subnet_id,
                )
            if subnet.zone_id in ZONES_WITHOUT_CONTROL_PLANES:
                yield Fail(
                    message=f"{subnet_id} is in {subnet.zone_id}, where EKS has no control plane",
                    path=path,
                    requested=subnet.zone_id,
                    where=subnet_id,
                )
        if len(zones) == len(subject.value.control_plane_subnet_ids) and len(set(zones)) == 1:
            yield Fail(
                message=f"all subnets of the control plane are in {zones[0]}; EKS wants two zones",
                path=(*HERE, "control_plane_subnet_ids"),
            )


RULE = ControlPlaneSubnets()
