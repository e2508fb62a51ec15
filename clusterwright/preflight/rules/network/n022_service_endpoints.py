"""Nodes in an existing network reach the AWS services that they call."""

from __future__ import annotations

from clusterwright.cluster_spec.models.network import ExistingNetwork
from clusterwright.platforms.endpoints import GATEWAY_SERVICES
from clusterwright.preflight.facts.network import Subnets
from clusterwright.preflight.facts.routes import Endpoints, RouteTables
from clusterwright.preflight.rule import Context, FactValues, Fail, Results, Unknown
from clusterwright.preflight.rules.group_rule import listed
from clusterwright.preflight.rules.network.egress import (
    EGRESS_FACTS,
    egress_path,
    endpoint_names,
    gateway_of,
    interface_of,
    services_used,
)
from clusterwright.preflight.rules.network.existing_network import (
    ExistingNetworkRule,
    node_subnets,
    sharing_account,
)


class ReachesServices(ExistingNetworkRule):
    id = "CW-N022"
    prevents = (
        "lifecycle scripts that cannot be downloaded, so that creation times out with empty "
        "logs: logs cannot be sent either"
    )
    source = (
        "AWS documentation, HyperPod prerequisites and interface endpoints; "
        "awslabs/awsome-distributed-ai #186, #189"
    )
    needs = EGRESS_FACTS

    def check(self, existing: ExistingNetwork, context: Context, facts: FactValues) -> Results:
        tables, endpoints = facts[RouteTables()], facts[Endpoints()]
        vpc_id = existing.vpc_id
        owner = sharing_account(existing, facts[Subnets()], context)
        if owner is not None:
            yield Unknown(
                message=f"{owner} shares the subnets of {vpc_id}, and EC2 shows its endpoints to "
                f"{owner} only: which services nodes reach, and what policies and security groups "
                "of the endpoints allow, is not known",
                hint="ask the owner of the network for endpoints with private DNS for "
                f"{listed([s.name for s in services_used(context)])}, or for a NAT gateway",
            )
            return
        for path, subnet_id, subnet in node_subnets(existing, facts[Subnets()]):
            if subnet is None or subnet.vpc_id != vpc_id:
                continue  # CW-N007 reports it
            out = egress_path(tables, subnet)
            if out.default is not None:
                continue
            missing, without_dns = [], []
            for service in GATEWAY_SERVICES:
                names = endpoint_names(context.region, service.name)
                if service.used(context.cluster) and not (
                    gateway_of(endpoints, out.table, vpc_id, names)
                    or interface_of(endpoints, vpc_id, names)
                ):
                    missing.append(service.name)
            for service in services_used(context):
                names = endpoint_names(context.region, service.name)
                found = interface_of(endpoints, vpc_id, names)
                if found is None or found.state not in ("available", "pending"):
                    missing.append(service.name)
                elif not found.private_dns:
                    without_dns.append(service.name)
            because = out.useless or "it has no default route"
            # Endpoints in a central network may be reachable through these, by its private DNS.
            central = ", ".join(out.others)
            if missing:
                yield Fail(
                    message=f"nodes in {subnet_id} cannot reach {listed(missing)}: {because}, and "
                    f"{vpc_id} has no endpoint for {'it' if len(missing) == 1 else 'them'}"
                    + (f"; {central} may lead to one" if central else ""),
                    path=path,
                    severity="warning" if central else "error",
                    requested=", ".join(missing),
                    where=subnet_id,
                    hint=_hint(missing),
                )
            if without_dns:
                yield Fail(
                    message=f"the endpoints of {listed(without_dns)} in {vpc_id} have no private "
                    f"DNS: nodes in {subnet_id} use the public names",
                    path=path,
                    severity="warning" if central else "error",
                    requested=", ".join(without_dns),
                    where=subnet_id,
                    hint="enable private DNS names for these endpoints",
                )


def _hint(missing: list[str]) -> str:
    """State the kind of endpoint that each of the missing services needs."""
    gateways = {service.name for service in GATEWAY_SERVICES}
    by_gateway = [name for name in missing if name in gateways]
    by_interface = [name for name in missing if name not in gateways]
    ways = ["a route to a NAT gateway"]
    if by_interface:
        ways.append(f"interface endpoints with private DNS for {listed(by_interface)}")
    if by_gateway:
        ways.append(f"a gateway endpoint in the subnet's route table for {listed(by_gateway)}")
    if len(ways) == 3:
        return f"its owner must add {ways[0]}; or {ways[1]}, and {ways[2]}"
    return f"its owner must add {ways[0]}, or {ways[1]}"
