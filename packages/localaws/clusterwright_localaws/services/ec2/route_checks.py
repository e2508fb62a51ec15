"""What EC2 refuses of routes and associations and moto accepts.

https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_CreateRoute.html
https://docs.aws.amazon.com/vpc/latest/userguide/RouteTables.html

Texts as users quote them: smoketurner/serverless-vpc-plugin#147 (internet gateways),
saltstack/salt#38791 (interfaces), hashicorp/terraform-provider-aws#10025 (transit gateways),
#23866 (routes that exist), #38960 (associations), ansible/ansible#25521 (the main association),
hashicorp/terraform#4987 (gateways that do not exist). Those about other kinds of targets of
another VPC are ours, and so are the texts about a missing or second destination or target.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from clusterwright_localaws.core.call import Call, operation
from clusterwright_localaws.core.errors import AwsError, ForwardToMoto
from clusterwright_localaws.services.ec2.network import network_of
from clusterwright_localaws.services.ec2.reserved import ec2_backend

_DESTINATIONS: Final = (
    *("DestinationCidrBlock", "DestinationIpv6CidrBlock", "DestinationPrefixListId"),
)
# "You can't add routes to IPv4 addresses that are an exact match or a subset of the following
# range", and the same of IPv6.
_RESERVED: Final = tuple(map(ipaddress.ip_network, ("169.254.168.0/22", "fd00:ec2::/32")))
_WITHIN: Final = frozenset({"NatGatewayId", "NetworkInterfaceId", "InstanceId", "VpcEndpointId"})
_LIVE: Final = frozenset({"pending", "available"})

# What finds the VPCs of a target: None if it does not exist.
_Find = Callable[[Any, str], "set[str] | None"]


def _vpc_of(table: str) -> _Find:
    def find(ec2: Any, identifier: str) -> set[str] | None:
        found = getattr(ec2, table).get(identifier)
        return None if found is None else {str(found.vpc_id)}

    return find


def _of_gateway(ec2: Any, identifier: str) -> set[str] | None:
    """Return the VPCs of an internet gateway, a virtual private gateway or another target."""
    if identifier in ec2.internet_gateways:
        vpc = ec2.internet_gateways[identifier].vpc
        return set() if vpc is None else {str(vpc.id)}
    if identifier in ec2.vpn_gateways:
        attached = ec2.vpn_gateways[identifier].attachments
        return {str(vpc) for vpc, one in attached.items() if one.state == "attached"}
    return _of_nat_gateway(ec2, identifier)


def _of_nat_gateway(ec2: Any, identifier: str) -> set[str] | None:
    found = ec2.nat_gateways.get(identifier)
    return None if found is None or found.state not in _LIVE else {str(found.vpc_id)}


def _of_interface(ec2: Any, identifier: str) -> set[str] | None:
    found = ec2.enis.get(identifier)
    return None if found is None else {str(found.subnet.vpc_id)}


def _of_peering(ec2: Any, identifier: str) -> set[str] | None:
    found = ec2.vpc_pcxs.get(identifier)
    return None if found is None else {str(found.vpc.id), str(found.peer_vpc.id)}


# Parameter: what finds its VPCs, the code and the noun where it does not exist, and the noun where
# it is of another VPC.
_TARGETS: Final[Mapping[str, tuple[_Find, str, str, str]]] = {
    "GatewayId": (_of_gateway, "InvalidGatewayID.NotFound", "gateway ID", "network gateway"),
    "NatGatewayId": (
        *(_of_nat_gateway, "InvalidNatGatewayID.NotFound"),
        *("natGateway ID", "NAT gateway"),
    ),
    "NetworkInterfaceId": (
        *(_of_interface, "InvalidNetworkInterfaceID.NotFound"),
        *("networkInterface ID", "interface"),
    ),
    "VpcPeeringConnectionId": (
        *(_of_peering, "InvalidVpcPeeringConnectionID.NotFound"),
        *("vpcPeeringConnection ID", "peering connection"),
    ),
    "EgressOnlyInternetGatewayId": (
        *(_vpc_of("egress_only_internet_gateways"), "InvalidGatewayID.NotFound"),
        *("egressOnlyInternetGateway ID", "egress-only internet gateway"),
    ),
    "CarrierGatewayId": (
        *(_vpc_of("carrier_gateways"), "InvalidCarrierGatewayID.NotFound"),
        *("carrierGateway ID", "carrier gateway"),
    ),
}
# Targets that nothing here finds, or that are looked at by moto.
_OTHERS: Final = (
    *("TransitGatewayId", "InstanceId", "VpcEndpointId", "LocalGatewayId"),
    *("CoreNetworkArn", "OdbNetworkArn"),
)


@operation("ec2", "CreateRoute", "ReplaceRoute")
def create_route(call: Call) -> Mapping[str, Any]:
    asked, ec2 = call.parameters, ec2_backend(call.account, call.region)
    table = ec2.get_route_table(asked["RouteTableId"])
    destination = _destination(asked)
    local = call.operation == "ReplaceRoute" and bool(asked.get("LocalTarget"))
    targets = [name for name in (*_TARGETS, *_OTHERS) if asked.get(name)]
    if len(targets) + local != 1:
        raise _not_one("target", len(targets))
    if call.operation == "CreateRoute":
        _check_new(table, asked, destination)
        _check_within(ec2, table, destination, targets)
    if targets:
        _check_target(ec2, table, asked, targets[0])
    raise ForwardToMoto


@operation("ec2", "DeleteRoute")
def delete_route(call: Call) -> Mapping[str, Any]:
    asked, ec2 = call.parameters, ec2_backend(call.account, call.region)
    table = ec2.get_route_table(asked["RouteTableId"])
    destination = _destination(asked)
    for route in table.routes:
        if route.local and destination == _of_route(route):
            text = f"cannot remove local route {destination} in route table {table.id}"
            raise _invalid(text)
    raise ForwardToMoto


@operation("ec2", "AssociateRouteTable")
def associate_route_table(call: Call) -> Mapping[str, Any]:
    asked, ec2 = call.parameters, ec2_backend(call.account, call.region)
    table = ec2.get_route_table(asked["RouteTableId"])
    subnet_id, gateway_id = asked.get("SubnetId"), asked.get("GatewayId")
    target = subnet_id or gateway_id
    if not target:
        raise ForwardToMoto
    if subnet_id:
        subnet = network_of(call.runtime, call.account, call.region).subnet(subnet_id)
        vpcs = None if subnet is None else {subnet.vpc_id}
        noun = "subnet"
    else:
        vpcs, noun = _of_gateway(ec2, str(gateway_id)), "network gateway"
    if vpcs is not None and table.vpc_id not in vpcs:
        raise _elsewhere(table, noun, target)
    for other in list(ec2.route_tables.values()):
        if other.id != table.id and target in other._associations.values():
            raise AwsError(
                "Resource.AlreadyAssociated",
                f"the specified association for route table {table.id} conflicts with an existing "
                "association",
            )
    raise ForwardToMoto


@operation("ec2", "ReplaceRouteTableAssociation")
def replace_association(call: Call) -> Mapping[str, Any]:
    asked, ec2 = call.parameters, ec2_backend(call.account, call.region)
    new = ec2.get_route_table(asked["RouteTableId"])
    for old in list(ec2.route_tables.values()):
        if asked["AssociationId"] in old.all_associations_ids and old.vpc_id != new.vpc_id:
            text = f"route table {new.id} and route table {old.id} belong to different networks"
            raise _invalid(text)
    raise ForwardToMoto


@operation("ec2", "DisassociateRouteTable")
def disassociate_route_table(call: Call) -> Mapping[str, Any]:
    association = call.parameters["AssociationId"]
    for table in list(ec2_backend(call.account, call.region).route_tables.values()):
        if table.main_association_id == association:
            raise _invalid(f"cannot disassociate the main route table association {association}")
    raise ForwardToMoto


def _destination(asked: Mapping[str, Any]) -> str:
    """Return the destination of a request: a canonical range, or the id of a prefix list."""
    given = [str(asked[name]) for name in _DESTINATIONS if asked.get(name)]
    if len(given) != 1:
        raise _not_one("destination", len(given))
    return _canonical(given[0])


def _canonical(text: str) -> str:
    try:
        return str(ipaddress.ip_network(text, strict=False))
    except ValueError:
        return text


def _of_route(route: Any) -> str:
    return _canonical(
        str(
            route.destination_cidr_block
            or route.destination_ipv6_cidr_block
            or route.destination_prefix_list_id
        )
    )


def _check_new(table: Any, asked: Mapping[str, Any], destination: str) -> None:
    if any(_of_route(route) == destination for route in table.routes):
        text = f"The route identified by {destination} already exists."
        raise AwsError("RouteAlreadyExists", text)
    if asked.get("DestinationPrefixListId"):
        return
    try:
        network = ipaddress.ip_network(destination)
    except ValueError:
        return  # moto refuses what is no range
    for reserved in _RESERVED:
        if network.version == reserved.version and network.subnet_of(reserved):  # type: ignore[arg-type]
            raise _invalid(
                f"The destination {destination} is within {reserved}, which is reserved"
            )


def _check_within(ec2: Any, table: Any, destination: str, targets: Sequence[str]) -> None:
    """Check a route that is more specific than a local one.

    "The destination must match the entire IPv4 or IPv6 CIDR block of a subnet in your VPC. The
    target must be a NAT gateway, network interface, or Gateway Load Balancer endpoint."
    """
    local = [route.destination_cidr_block for route in table.routes if route.local]
    inner = _network(destination)
    outer = [network for block in local if (network := _network(block)) is not None]
    if inner is None or not any(inner.subnet_of(one) for one in outer):
        return
    subnets = [one for found in list(ec2.subnets.values()) for one in list(found.values())]
    if not any(one.vpc_id == table.vpc_id and one.cidr == inner for one in subnets):
        raise _invalid(f"The destination {destination} within the VPC is not a subnet's range")
    if not set(targets) <= _WITHIN:
        raise _invalid(
            f"The target of {destination}, which is within the VPC, must be a NAT gateway, "
            "network interface, or Gateway Load Balancer endpoint"
        )


def _network(text: Any) -> ipaddress.IPv4Network | None:
    try:
        return ipaddress.IPv4Network(str(text))
    except ValueError:
        return None


def _check_target(ec2: Any, table: Any, asked: Mapping[str, Any], name: str) -> None:
    target = str(asked[name])
    if name == "EgressOnlyInternetGatewayId" and asked.get("DestinationCidrBlock"):
        raise _invalid(f"{target} takes IPv6 traffic only: the destination is an IPv4 range")
    if name == "TransitGatewayId":
        _check_transit_gateway(ec2, table, target)
    if name not in _TARGETS or (name == "GatewayId" and _is_special(target)):
        return
    find, code, noun, kind = _TARGETS[name]
    vpcs = find(ec2, target)
    if vpcs is None:
        raise AwsError(code, f"The {noun} '{target}' does not exist")
    if table.vpc_id not in vpcs:
        raise _elsewhere(table, kind, target)


def _check_transit_gateway(ec2: Any, table: Any, target: str) -> None:
    """Check that a transit gateway, which may be another account's, is attached to the VPC.

    The world's VPCs have routes to theirs without an attachment.
    """
    attached = any(
        one.transit_gateway_id == target and one.resource_id == table.vpc_id
        for one in list(ec2.transit_gateway_attachments.values())
    )
    routed = any(
        route.transit_gateway_id == target
        for other in list(ec2.route_tables.values())
        if other.vpc_id == table.vpc_id
        for route in other.routes
    )
    if not (attached or routed):
        text = f"The transitGateway ID '{target}' does not exist."
        raise AwsError("InvalidTransitGatewayID.NotFound", text)


def _is_special(target: str) -> bool:
    return target == "local" or target.startswith("vpce-")


def _elsewhere(table: Any, noun: str, target: str) -> AwsError:
    return _invalid(f"route table {table.id} and {noun} {target} belong to different networks")


def _not_one(what: str, count: int) -> AwsError:
    code = "InvalidParameterCombination" if count else "MissingParameter"
    return AwsError(code, f"The request must contain exactly one {what}")


def _invalid(message: str) -> AwsError:
    return AwsError("InvalidParameterValue", message)
