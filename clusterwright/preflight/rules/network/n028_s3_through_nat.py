"""Traffic to S3 does not go through a NAT gateway of an existing network."""

from __future__ import annotations

from typing import Final

from clusterwright.cluster_spec.models.network import ExistingNetwork
from clusterwright.preflight.facts.network import Subnets
from clusterwright.preflight.facts.routes import Endpoints, RouteTables
from clusterwright.preflight.rule import Context, FactValues, Fail, Results
from clusterwright.preflight.rules.network.egress import (
    EGRESS_FACTS,
    egress_path,
    endpoint_names,
    gateway_of,
    interface_of,
)
from clusterwright.preflight.rules.network.existing_network import (
    ExistingNetworkRule,
    hidden_endpoints,
    node_subnets,
)

_NAT: Final = "nat-"


class S3ThroughNat(ExistingNetworkRule):
    id = "CW-N028"
    severity = "warning"
    prevents = (
        "charges per GB for every checkpoint, data set and image layer: registries store their "
        "layers in S3, and only a gateway endpoint for S3 keeps this traffic off the NAT gateway"
    )
    source = (
        "AWS documentation, NAT gateways: pricing, best practice for traffic to S3; gateway "
        "endpoints; awslabs/aws-crt-s3-benchmarks #42, pytorch/ci-infra #1032"
    )
    needs = EGRESS_FACTS

    def check(self, existing: ExistingNetwork, context: Context, facts: FactValues) -> Results:
        hidden = hidden_endpoints(
            existing, facts[Subnets()], context, "whether traffic to S3 is charged per GB"
        )
        if hidden is not None:
            yield hidden
            return
        endpoints = facts[Endpoints()]
        names = endpoint_names(context.region, "s3")
        reported: set[str] = set()
        for path, _, subnet in node_subnets(existing, facts[Subnets()]):
            if subnet is None or subnet.vpc_id != existing.vpc_id:
                continue  # CW-N007 reports it
            out = egress_path(facts[RouteTables()], subnet)
            if out.default is None or not out.default.startswith(_NAT) or out.table is None:
                continue
            if gateway_of(endpoints, out.table, subnet.vpc_id, names) or out.table.id in reported:
                continue
            reported.add(out.table.id)
            interface = interface_of(endpoints, subnet.vpc_id, names)
            if interface is not None and interface.private_dns:
                continue  # charged per GB too, at the rate of endpoints: a deliberate choice
            yield Fail(
                message=f"traffic between nodes in {subnet.id} and S3 goes through "
                f"{out.default}, which is charged per GB: {out.table.id} has no gateway endpoint "
                "for S3",
                path=path,
                where=subnet.id,
                hint="its owner should add a gateway endpoint for S3, which is free of charge: "
                f"`aws ec2 create-vpc-endpoint --vpc-id {subnet.vpc_id} --service-name {names[0]} "
                f"--route-table-ids {out.table.id}`",
            )
