"""The control plane's subnets are in the VPC, in two zones, with free addresses."""

from __future__ import annotations

from typing import Final

from clusterwright.aws.ec2.vpc import Subnet
from clusterwright.cluster_spec.models.network import ExistingNetwork
from clusterwright.cluster_spec.problems import Path
from clusterwright.platforms.network import ZONES_WITHOUT_CONTROL_PLANES
from clusterwright.preflight.rule import Context, Fail, Results, Subjects
from clusterwright.preflight.rules.network.existing_network import TwoZonesRule

FREE_ADDRESSES: Final = 6
"""Required in each subnet (EKS user guide, "View Amazon EKS networking requirements for VPC and
subnets"; it recommends 16)."""


class ControlPlaneSubnets(TwoZonesRule):
    id = "CW-N027"
    prevents = "CreateCluster of EKS fails: subnets in two zones, with 6 free addresses each"
    source = "EKS user guide, View Amazon EKS networking requirements for VPC and subnets"
    needs = TwoZonesRule.needs
    key = "control_plane_subnet_ids"
    same_zone_message = "all subnets of the control plane are in {zone}; EKS requires two zones"

    def subjects(self, context: Context) -> Subjects[ExistingNetwork]:
        if context.cluster.uses_kubernetes:
            yield from super().subjects(context)

    def check_subnet(self, subnet: Subnet, path: Path) -> Results:
        if subnet.free_addresses < FREE_ADDRESSES:
            yield Fail(
                message=f"{subnet.id} has {subnet.free_addresses} free addresses; the control "
                f"plane needs {FREE_ADDRESSES} in each of its subnets",
                path=path,
                requested=FREE_ADDRESSES,
                limit=subnet.free_addresses,
                where=subnet.id,
            )
        if subnet.zone_id in ZONES_WITHOUT_CONTROL_PLANES:
            yield Fail(
                message=f"{subnet.id} is in {subnet.zone_id}, where EKS does not support control "
                "planes",
                path=path,
                requested=subnet.zone_id,
                where=subnet.id,
            )
