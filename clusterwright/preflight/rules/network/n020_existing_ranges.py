"""The existing VPC does not overlap connected networks."""

from __future__ import annotations

from ipaddress import IPv4Network

from clusterwright.cluster_spec.models.network import ExistingNetwork
from clusterwright.preflight.facts.network import Vpcs
from clusterwright.preflight.rule import Context, FactValues, Fail, Results
from clusterwright.preflight.rules.network.existing_network import HERE, ExistingNetworkRule
from clusterwright.preflight.rules.network.ip_ranges import DOCKER, peered_ranges


class ExistingRanges(ExistingNetworkRule):
    id = "CW-N020"
    prevents = (
        "routes to the other network that are never used: a VPC's own ranges are always local"
    )
    source = (
        "AWS documentation, VPC peering basics and VPC CIDR blocks: SageMaker and others use "
        "172.17.0.0/16"
    )
    needs = (Vpcs(),)

    def check(self, existing: ExistingNetwork, context: Context, facts: FactValues) -> Results:
        vpc = next((v for v in facts[Vpcs()] if v.id == existing.vpc_id), None)
        if vpc is None:
            return  # CW-N006 reports it
        for cidr in vpc.cidrs:
            own = IPv4Network(cidr)
            for path, peer in peered_ranges(context):
                if own.overlaps(peer):
                    yield Fail(
                        message=f"{peer} overlaps {own} of {vpc.id}",
                        path=path,
                        requested=str(peer),
                        limit=str(own),
                        where=vpc.id,
                        hint="nodes cannot reach addresses in both: use another VPC or peer",
                    )
            if own.overlaps(DOCKER):
                yield Fail(
                    message=f"{own} of {vpc.id} overlaps {DOCKER}, which Docker uses on every "
                    "node, as do AWS services such as SageMaker",
                    path=(*HERE, "vpc_id"),
                    severity="warning",
                    requested=str(own),
                    limit=str(DOCKER),
                    where=vpc.id,
                    hint="use subnets outside it, or change Docker's range on the nodes",
                )
