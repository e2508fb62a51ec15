"""moto creates any number of gateways, groups, rules, interfaces and endpoints; EC2 has quotas.

Codes: https://docs.aws.amazon.com/AWSEC2/latest/APIReference/errors-overview.html
"""

from __future__ import annotations

from typing import Any

from clusterwright_localaws.core.moto_quotas import count, limit
from clusterwright_localaws.core.runtime import runtime
from clusterwright_localaws.services.ec2.fixes.network_limits import refusal

MOTO_VERSION = "5.2.5"
DESCRIPTION = (
    "EC2: CreateInternetGateway, CreateSecurityGroup, AuthorizeSecurityGroupIngress and -Egress, "
    "CreateNetworkInterface (by zone, and with its security groups) and CreateVpcEndpoint refuse "
    "requests beyond the world's quotas"
)
_GATEWAYS = ("vpc", "L-A4707A72")
_GROUPS = ("vpc", "L-E79EC296")
_RULES = ("vpc", "L-0EA8095F")
_GROUPS_PER_INTERFACE = ("vpc", "L-2AFB9258")
_INTERFACES = ("vpc", "L-DF5E4CA3")
_INTERFACE_ENDPOINTS = ("vpc", "L-29B6F2EB")
_GATEWAY_ENDPOINTS = ("vpc", "L-1B52E74A")


def apply() -> None:
    from moto.ec2.models import EC2Backend

    refused = refusal("InternetGatewayLimitExceeded", "internet gateways")
    limit(EC2Backend, "create_internet_gateway", _GATEWAYS, refused)
    refused = refusal("SecurityGroupLimitExceeded", "security groups")
    limit(EC2Backend, "create_security_group", _GROUPS, refused, added=_group)
    refused = refusal("RulesPerSecurityGroupLimitExceeded", "rules per security group")
    for direction in ("ingress", "egress"):
        limit(
            EC2Backend,
            f"authorize_security_group_{direction}",
            _RULES,
            refused,
            added=_rules_of(f"{direction}_rules"),
            used=_nothing,
        )
    refused = refusal("SecurityGroupsPerInterfaceLimitExceeded", "security groups per interface")
    limit(
        EC2Backend,
        "create_network_interface",
        _GROUPS_PER_INTERFACE,
        refused,
        added=_groups_of_interface,
        used=_nothing,
    )
    refused = refusal("NetworkInterfaceLimitExceeded", "network interfaces")
    limit(EC2Backend, "create_network_interface", _INTERFACES, refused, used=_interfaces)
    refused = refusal("VpcEndpointLimitExceeded", "VPC endpoints")
    limit(
        EC2Backend,
        "create_vpc_endpoint",
        _INTERFACE_ENDPOINTS,
        refused,
        added=lambda ec2, *arguments, **named: _endpoint(named, "interface"),
        used=_endpoints_of_vpc,
    )
    limit(
        EC2Backend,
        "create_vpc_endpoint",
        _GATEWAY_ENDPOINTS,
        refused,
        added=lambda ec2, *arguments, **named: _endpoint(named, "gateway"),
    )


def _nothing(ec2: Any, *arguments: Any, **named: Any) -> float:
    return 0.0


def _group(ec2: Any, name: str, *arguments: Any, **named: Any) -> float | None:
    # The default group is created with its VPC, which the quota of VPCs may refuse.
    return None if name == "default" else 1.0


def _rules_of(attribute: str) -> Any:
    """Return the number of rules of a group: one for every source or destination (VPC quotas)."""

    def rules(
        ec2: Any,
        group_name_or_id: str,
        ip_protocol: str,
        from_port: str,
        to_port: str,
        ip_ranges: list[Any],
        *arguments: Any,
        **named: Any,
    ) -> float | None:
        group = ec2.get_security_group_by_name_or_id(group_name_or_id, named.get("vpc_id"))
        if group is None:
            return None
        sources = (ip_ranges, named.get("source_groups"), named.get("prefix_list_ids"))
        return len(getattr(group, attribute)) + sum(len(source or ()) for source in sources)

    return rules


def _groups_of_interface(
    ec2: Any,
    subnet: Any,
    private_ip_address: Any,
    private_ip_addresses: Any = None,
    group_ids: Any = None,
    *arguments: Any,
    **named: Any,
) -> float:
    return len(group_ids or [])


def _interfaces(ec2: Any, subnet: Any, *arguments: Any, **named: Any) -> float:
    """Return the network interfaces in the zone of a subnet."""
    found = ec2.get_subnet(subnet) if isinstance(subnet, str) else subnet
    zone = getattr(found, "availability_zone", "")
    others = runtime().world.usage.get("/".join(_INTERFACES), 0.0)
    return others + sum(
        1.0
        for eni in list(ec2.enis.values())
        if eni.subnet is not None and eni.subnet.availability_zone == zone
    )


def _endpoint(named: dict[str, Any], kind: str) -> float | None:
    return 1.0 if str(named.get("endpoint_type") or "Gateway").lower() == kind else None


def _endpoints_of_vpc(ec2: Any, *arguments: Any, **named: Any) -> float:
    vpc_id = arguments[0] if arguments else named.get("vpc_id")
    return sum(1.0 for endpoint in _endpoints(ec2, "interface") if endpoint.vpc_id == vpc_id)


def _endpoints(ec2: Any, kind: str) -> list[Any]:
    return [
        endpoint
        for endpoint in ec2.vpc_end_points.values()
        if endpoint.state != "deleted"
        and str(endpoint.vpc_endpoint_type or "Gateway").lower() == kind
    ]


count(_GATEWAYS, "ec2", lambda ec2: len(ec2.internet_gateways))
count(_GROUPS, "ec2", lambda ec2: sum(len(groups) for groups in ec2.groups.values()))
count(_GATEWAY_ENDPOINTS, "ec2", lambda ec2: len(_endpoints(ec2, "gateway")))
