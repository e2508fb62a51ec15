"""Quotas of VPCs: gateways, addresses, endpoints and security groups."""

from __future__ import annotations

from clusterwright.cluster_spec.security_groups import existing_storage_groups, network_groups
from clusterwright.platforms.endpoints import gateway_services, interface_services
from clusterwright.platforms.security_group_rules import security_groups_built
from clusterwright.preflight.facts.counts import InternetGateways
from clusterwright.preflight.facts.fact import Fact
from clusterwright.preflight.facts.network import (
    ElasticIps,
    NatGateways,
    SecurityGroups,
    Subnets,
    Vpcs,
)
from clusterwright.preflight.facts.routes import Endpoints
from clusterwright.preflight.rule import Context, FactValues, Path, Subjects
from clusterwright.preflight.rules.quotas.quota_rule import (
    QuotaDemand,
    QuotaRule,
    QuotaUsage,
    ServiceQuota,
    Usage,
    by_stack,
)

_SOURCE = "AWS documentation, VPC quotas"
_PERCONA = "Percona-Lab/jenkins-pipelines PR #4010"
_DEFAULTS = "tables of default quotas in public repositories"


def _vpc(context: Context) -> int | None:
    return 1 if context.cluster.network.existing is None else None


def _nat_gateway(context: Context) -> int | None:
    network = context.cluster.network
    return 1 if network.existing is None and network.egress == "nat" else None


def _nat_gateways(context: Context) -> Subjects[QuotaDemand]:
    quota = ServiceQuota("vpc", "L-FE5A380F", "NAT gateways per Availability Zone")
    if _nat_gateway(context):
        zone = context.cluster.network.availability_zone_id
        yield ("network", "egress"), quota.demand(1, "a NAT gateway needs", key=zone)


def _nat_gateways_of_zone(
    demand: QuotaDemand, context: Context, facts: FactValues
) -> list[QuotaUsage]:
    here = {s.id for s in facts[Subnets()] if demand.key in (s.zone_id, s.zone)}
    return [
        QuotaUsage(1, context.stack_is_ours(gateway.stack))
        for gateway in facts[NatGateways()]
        if gateway.subnet_id in here
    ]


def _stacks(fact: Fact[tuple[str | None, ...]]) -> Usage:
    """A fact that gives the stack of each resource."""

    def count(demand: QuotaDemand, context: Context, facts: FactValues) -> list[QuotaUsage]:
        return [QuotaUsage(1, context.stack_is_ours(stack)) for stack in facts[fact]]

    return Usage((fact,), count)


def _new_groups(context: Context) -> int | None:
    groups = security_groups_built(context.cluster)
    # Each VPC has a default security group.
    return len(groups) + 1 if groups else None


def _security_groups(demand: QuotaDemand, context: Context, facts: FactValues) -> list[QuotaUsage]:
    found = [
        QuotaUsage(1, context.stack_is_ours(group.stack)) for group in facts[SecurityGroups()]
    ]
    # The default group of our VPC has no tag of the stack.
    default = any(usage.ours for usage in found)
    return [*found, QuotaUsage(-1, False), QuotaUsage(1, True)] if default else found


def _rules_per_group(context: Context) -> Subjects[QuotaDemand]:
    quota = ServiceQuota("vpc", "L-0EA8095F", "Inbound or outbound rules per security group")
    groups = security_groups_built(context.cluster)
    if groups:
        name, most = max(((n, max(r)) for n, r in groups.items()), key=lambda pair: pair[1])
        demand = quota.demand(most, f"the security group of the {name} needs")
        yield ("network",), demand


def _groups_per_interface(context: Context) -> Subjects[QuotaDemand]:
    quota = ServiceQuota("vpc", "L-2AFB9258", "Security groups per network interface")
    existing = context.cluster.network.existing
    count = network_groups(context.cluster) + len(existing_storage_groups(context.cluster))
    path: Path = ("network", "existing", "security_group_ids") if existing else ("network",)
    who = "the controller" if existing is None and context.cluster.uses_slurm else "each node"
    needed_by = f"{who} has {count} security group{'s' * (count > 1)}: it needs"
    yield path, quota.demand(count, needed_by)


def _interface_endpoints(context: Context) -> Subjects[QuotaDemand]:
    quota = ServiceQuota("vpc", "L-29B6F2EB", "Interface VPC endpoints per VPC")
    count = len(interface_services(context.cluster))
    if count:
        demand = quota.demand(count, f"a closed network needs {count} endpoints:")
        yield ("network", "egress"), demand


RULES = (
    QuotaRule(
        id="CW-Q040",
        title="VPCs of the region",
        prevents="CreateVpc fails with VpcLimitExceeded: the default is five, including the "
        "default VPC",
        source=f"{_SOURCE}; {_PERCONA}",
        demands=ServiceQuota("vpc", "L-F678F1CE", "VPCs per Region").at(
            ("network",), "a new VPC needs", _vpc
        ),
        usage=by_stack(Vpcs()),
    ),
    QuotaRule(
        id="CW-Q041",
        title="Elastic IP addresses of the region",
        prevents="AllocateAddress fails with AddressLimitExceeded: the default is five",
        source=f"{_SOURCE}; {_PERCONA}",
        demands=ServiceQuota("ec2", "L-0263D0A3", "EC2-VPC Elastic IPs").at(
            ("network", "egress"), "a NAT gateway needs", _nat_gateway
        ),
        usage=_stacks(ElasticIps()),
    ),
    QuotaRule(
        id="CW-Q042",
        title="NAT gateways of the zone",
        prevents="CreateNatGateway fails with NatGatewayLimitExceeded: the default is five per "
        "zone",
        source=f"{_SOURCE}; {_PERCONA}",
        demands=_nat_gateways,
        usage=Usage((NatGateways(), Subnets()), _nat_gateways_of_zone),
    ),
    QuotaRule(
        id="CW-Q043",
        title="Internet gateways of the region",
        prevents="CreateInternetGateway fails with InternetGatewayLimitExceeded: the default is "
        "five",
        source=_SOURCE,
        demands=ServiceQuota("vpc", "L-A4707A72", "Internet gateways per Region").at(
            ("network", "egress"), "a NAT gateway needs", _nat_gateway
        ),
        usage=_stacks(InternetGateways()),
    ),
    QuotaRule(
        id="CW-Q045",
        title="Security groups of the region",
        prevents="CreateSecurityGroup fails with SecurityGroupLimitExceeded: the default is 2,500",
        source=_SOURCE,
        demands=ServiceQuota("vpc", "L-E79EC296", "VPC security groups per Region").at(
            ("network",), "a new network needs", _new_groups
        ),
        usage=Usage((SecurityGroups(),), _security_groups),
    ),
    QuotaRule(
        id="CW-Q046",
        title="Rules per security group",
        prevents="AuthorizeSecurityGroupIngress fails with RulesPerSecurityGroupLimitExceeded: "
        "the default is 60 rules in each direction",
        source=_SOURCE,
        demands=_rules_per_group,
    ),
    QuotaRule(
        id="CW-Q047",
        title="Security groups per network interface",
        prevents="nodes do not start: SecurityGroupsPerInterfaceLimitExceeded, where a node has "
        "the security groups of the network and those of every existing file system",
        source=_SOURCE,
        demands=_groups_per_interface,
    ),
    QuotaRule(
        id="CW-Q048",
        title="Interface endpoints per VPC",
        prevents="CreateVpcEndpoint fails with VpcEndpointLimitExceeded: the default is 50 per "
        "VPC",
        source=_DEFAULTS,
        demands=_interface_endpoints,
    ),
    QuotaRule(
        id="CW-Q049",
        title="Gateway endpoints of the region",
        prevents="CreateVpcEndpoint fails with VpcEndpointLimitExceeded: the default is 20 per "
        "region",
        source=_DEFAULTS,
        demands=ServiceQuota("vpc", "L-1B52E74A", "Gateway VPC endpoints per Region").at(
            ("network",),
            "a new network needs",
            lambda context: len(gateway_services(context.cluster)) if _vpc(context) else None,
        ),
        usage=by_stack(Endpoints(), where=lambda endpoint, demand: endpoint.kind == "gateway"),
    ),
)
