"""Security groups allow nodes to reach the endpoints of an existing network.

An endpoint with private DNS serves the service's public name in the whole VPC, so that nodes with
internet access use it too.
"""

from __future__ import annotations

from clusterwright.aws.ec2.routes import Endpoint
from clusterwright.cluster_spec.models.network import ExistingNetwork
from clusterwright.cluster_spec.security_groups import existing_storage_groups
from clusterwright.preflight.facts.network import SecurityGroups, Subnets
from clusterwright.preflight.facts.routes import Endpoints, RouteTables
from clusterwright.preflight.rule import Context, FactValues, Fail, Results, Unknown
from clusterwright.preflight.rules.group_rule import listed
from clusterwright.preflight.rules.network.egress import (
    EGRESS_FACTS,
    egress_path,
    endpoint_names,
    groups_allow,
    interface_of,
    services_used,
)
from clusterwright.preflight.rules.network.existing_network import (
    HERE,
    ExistingNetworkRule,
    hidden_endpoints,
    known_subnets,
)

HTTPS = 443


class EndpointGroups(ExistingNetworkRule):
    id = "CW-N023"
    prevents = (
        "calls to AWS that hang until they time out: the endpoint's security group drops them"
    )
    source = (
        "AWS documentation, interface endpoints: security groups, private DNS; "
        "terraform-aws-modules/terraform-aws-eks #3113"
    )
    needs = (*EGRESS_FACTS, SecurityGroups())

    def check(self, existing: ExistingNetwork, context: Context, facts: FactValues) -> Results:
        hidden = hidden_endpoints(
            existing, facts[Subnets()], context, "whether security groups of endpoints admit nodes"
        )
        if hidden is not None:
            yield hidden
            return
        tables, endpoints = facts[RouteTables()], facts[Endpoints()]
        subnets = known_subnets(existing, facts[Subnets()])
        if not subnets:
            return
        # Behind a NAT gateway, only endpoints with private DNS receive the traffic.
        by_name_alone = all(egress_path(tables, subnet).default is not None for subnet in subnets)
        groups = {group.id: group for group in facts[SecurityGroups()]}
        own = [*existing.security_group_ids, *existing_storage_groups(context.cluster)]
        nodes = [groups[group_id] for group_id in own if group_id in groups]
        ranges = [subnet.cidr for subnet in subnets]
        by_id = {subnet.id: subnet for subnet in facts[Subnets()]}
        dropped: dict[tuple[bool | None, bool | None], list[str]] = {}
        for service in services_used(context):
            names = endpoint_names(context.region, service.name)
            endpoint = interface_of(endpoints, existing.vpc_id, names)
            if endpoint is None:
                continue  # CW-N022 reports it
            if by_name_alone and not endpoint.private_dns:
                continue
            theirs = [groups[group_id] for group_id in endpoint.group_ids if group_id in groups]
            there = [
                by_id[subnet_id].cidr for subnet_id in endpoint.subnet_ids if subnet_id in by_id
            ]
            ways = groups_allow(nodes, theirs, HTTPS, ranges, there)
            if not all(ways):
                dropped.setdefault(ways, []).append(service.name)
        for (out, into), names_ in dropped.items():
            which = listed(names_)
            if None in (out, into):
                yield Unknown(
                    message=f"whether the nodes reach the endpoints of {which} is unknown: their "
                    "security groups have rules with prefix lists, whose ranges are not read",
                    path=(*HERE, "security_group_ids"),
                )
            if into is False:
                example = _groups_of(endpoints, context, existing.vpc_id, names_[0])
                yield Fail(
                    message=f"the endpoints of {which} allow no inbound HTTPS from the nodes",
                    path=(*HERE, "security_group_ids"),
                    where=existing.vpc_id,
                    hint=f"allow inbound TCP {HTTPS} in {example} from {own[0]} or {ranges[0]}",
                )
            if out is False:
                yield Fail(
                    message="the nodes' security groups allow no outbound HTTPS to the "
                    "endpoints of "
                    f"{which}",
                    path=(*HERE, "security_group_ids"),
                    where=existing.vpc_id,
                    hint=f"allow outbound TCP {HTTPS} in {own[0]}",
                )


def _groups_of(
    endpoints: tuple[Endpoint, ...], context: Context, vpc_id: str, service: str
) -> str:
    found = interface_of(endpoints, vpc_id, endpoint_names(context.region, service))
    return ", ".join(found.group_ids) if found and found.group_ids else "their security group"
