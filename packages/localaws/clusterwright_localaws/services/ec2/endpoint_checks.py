"""What EC2 refuses of VPC endpoints and moto accepts.

Texts as users quote them: terraform-aws-modules/terraform-aws-vpc#481 (the service), #451 (zones),
#982 (inbound resolvers); hashicorp/terraform#24478 (types); hashicorp/terraform-provider-aws#17535
(conflicting names), #45846 (inbound resolvers of a gateway); nanlabs/terraform-aws-starter#18
(subnets); ansible-collections/amazon.aws#576 (route tables). Those about resources of another VPC
are ours, as is the one about two subnets of a Gateway Load Balancer endpoint.
https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_CreateVpcEndpoint.html
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from clusterwright_localaws.core.call import Call, operation
from clusterwright_localaws.core.errors import AwsError, ForwardToMoto
from clusterwright_localaws.core.simplifications import ENDPOINT_SERVICES, note
from clusterwright_localaws.services.ec2.endpoint_services import (
    GATEWAY,
    INTERFACE,
    domain_of,
    exists,
    types_of,
)
from clusterwright_localaws.services.ec2.network import network_of
from clusterwright_localaws.services.ec2.reserved import ec2_backend

_LOAD_BALANCER: Final = "GatewayLoadBalancer"
_INBOUND_ONLY: Final = "PrivateDnsOnlyForInboundResolverEndpoint"
_GONE: Final = frozenset({"deleted", "deleting"})


@dataclass(frozen=True)
class _Endpoint:
    """An endpoint as it will be, and what a request adds to it."""

    id: str
    kind: str
    service: str
    vpc_id: str
    subnets: Sequence[str]
    added_subnets: Sequence[str]
    added_tables: Sequence[str]
    added_groups: Sequence[str]
    private_names: bool


@operation("ec2", "CreateVpcEndpoint")
def create_vpc_endpoint(call: Call) -> Mapping[str, Any]:
    asked = call.parameters
    vpc = ec2_backend(call.account, call.region).vpcs.get(asked.get("VpcId"))
    service = str(asked.get("ServiceName") or "")
    if vpc is None or not service:
        raise ForwardToMoto  # which refuses the VPC; other kinds of endpoints have no service
    known = exists(service, call.region, asked.get("ServiceRegion"))
    if known is None:
        note(ENDPOINT_SERVICES)
    elif not known:
        raise AwsError(
            "InvalidServiceName", f"The Vpc Endpoint Service '{service}' does not exist"
        )
    subnets = asked.get("SubnetIds") or ()
    one = _Endpoint(
        id="",
        kind=asked.get("VpcEndpointType") or GATEWAY,
        service=service,
        vpc_id=vpc.id,
        subnets=subnets,
        added_subnets=subnets,
        added_tables=asked.get("RouteTableIds") or (),
        added_groups=asked.get("SecurityGroupIds") or (),
        private_names=asked.get("PrivateDnsEnabled") is True,
    )
    available = types_of(service, call.region)
    if available and one.kind not in available:
        raise _invalid(
            f"Endpoint type ({one.kind}) does not match available service types "
            f"([{', '.join(available)}])."
        )
    _check(call, one)
    raise ForwardToMoto


@operation("ec2", "ModifyVpcEndpoint")
def modify_vpc_endpoint(call: Call) -> Mapping[str, Any]:
    asked, ec2 = call.parameters, ec2_backend(call.account, call.region)
    endpoint = ec2.vpc_end_points.get(asked["VpcEndpointId"])
    if endpoint is None:
        raise ForwardToMoto
    added, tables = asked.get("AddSubnetIds") or (), asked.get("AddRouteTableIds") or ()
    removed = asked.get("RemoveSubnetIds") or ()
    kept = [one for one in endpoint.subnet_ids or () if one not in removed]
    one = _Endpoint(
        id=endpoint.id,
        kind=endpoint.vpc_endpoint_type or GATEWAY,
        service=endpoint.service_name,
        vpc_id=endpoint.vpc_id,
        subnets=[*kept, *(one for one in added if one not in kept)],
        added_subnets=added,
        added_tables=[one for one in tables if one not in endpoint.route_table_ids],
        added_groups=asked.get("AddSecurityGroupIds") or (),
        private_names=asked.get("PrivateDnsEnabled") is True,
    )
    _check(call, one)
    raise ForwardToMoto


def _check(call: Call, one: _Endpoint) -> None:
    if one.added_subnets and one.kind == GATEWAY:
        raise _invalid(
            "Subnet IDs are only supported for Interface and GatewayLoadBalancer type VPC "
            "Endpoints."
        )
    if one.added_tables and one.kind != GATEWAY:
        raise _invalid("Route table IDs are only supported for Gateway type VPC Endpoint.")
    if one.kind == _LOAD_BALANCER and len(one.subnets) > 1:
        raise _invalid("A Gateway Load Balancer endpoint has one subnet.")
    _check_groups(call, one)
    _check_subnets(call, one)
    if one.kind == GATEWAY:
        _check_tables(call, one)
    _check_inbound(call, one)
    if one.kind == INTERFACE and one.private_names:
        _check_names(call, one)


def _check_groups(call: Call, one: _Endpoint) -> None:
    network = network_of(call.runtime, call.account, call.region)
    for group_id in one.added_groups:
        group = network.security_group(group_id)
        if group is not None and group.vpc_id != one.vpc_id:
            raise _elsewhere("security group", group_id, one.vpc_id)


def _check_subnets(call: Call, one: _Endpoint) -> None:
    network = network_of(call.runtime, call.account, call.region)
    zones: set[str] = set()
    for subnet_id in one.subnets:
        subnet = network.subnet(subnet_id)
        if subnet is None:
            raise AwsError(
                "InvalidSubnetID.NotFound", f"The subnet ID '{subnet_id}' does not exist"
            )
        if subnet.vpc_id != one.vpc_id:
            raise _elsewhere("subnet", subnet_id, one.vpc_id)
        if subnet.availability_zone in zones:
            raise AwsError(
                "DuplicateSubnetsInSameZone",
                f"Found another VPC endpoint subnet in the availability zone of {subnet_id}. VPC "
                "endpoint subnets should be in different availability zones supported by the VPC "
                "endpoint service.",
            )
        zones.add(subnet.availability_zone)


def _check_tables(call: Call, one: _Endpoint) -> None:
    ec2 = ec2_backend(call.account, call.region)
    lists = {
        found.id
        for found in list(ec2.managed_prefix_lists.values())
        if found.prefix_list_name == one.service
    }
    for table_id in one.added_tables:
        table = ec2.get_route_table(table_id)
        if table.vpc_id != one.vpc_id:
            raise _elsewhere("route table", table_id, one.vpc_id)
        for route in table.routes:
            if route.destination_prefix_list_id in lists:
                raise AwsError(
                    "RouteAlreadyExists",
                    f"route table {table_id} already has a route with destination-prefix-list-id "
                    f"{route.destination_prefix_list_id}",
                )


def _check_inbound(call: Call, one: _Endpoint) -> None:
    if not (call.parameters.get("DnsOptions") or {}).get(_INBOUND_ONLY):
        return
    if one.kind != INTERFACE:
        raise _invalid(
            f"DnsOptions {_INBOUND_ONLY} is applicable only to Interface VPC Endpoints."
        )
    if not any(found.vpc_endpoint_type == GATEWAY for found in _others(call, one)):
        raise _invalid(
            f"To set {_INBOUND_ONLY} to true, the VPC {one.vpc_id} must have a Gateway endpoint "
            "for the service."
        )


def _check_names(call: Call, one: _Endpoint) -> None:
    vpc = ec2_backend(call.account, call.region).vpcs[one.vpc_id]
    if not (_is_on(vpc.enable_dns_support) and _is_on(vpc.enable_dns_hostnames)):
        raise _invalid(
            "Enabling private DNS requires both enableDnsSupport and enableDnsHostnames VPC "
            f"attributes set to true for {one.vpc_id}"
        )
    for other in _others(call, one):
        if other.vpc_endpoint_type == INTERFACE and other.private_dns_enabled:
            raise _invalid(
                "private-dns-enabled cannot be set because there is already a conflicting DNS "
                f"domain for {domain_of(one.service)} in the VPC {one.vpc_id}"
            )


def _others(call: Call, one: _Endpoint) -> Iterable[Any]:
    """Yield the other endpoints of the same service in the VPC."""
    for other in list(ec2_backend(call.account, call.region).vpc_end_points.values()):
        if (
            other.id != one.id
            and other.vpc_id == one.vpc_id
            and other.service_name == one.service
            and other.state not in _GONE
        ):
            yield other


def _is_on(value: Any) -> bool:
    return str(value).lower() == "true"


def _elsewhere(noun: str, identifier: str, vpc_id: str) -> AwsError:
    return _invalid(f"The {noun} {identifier} does not belong to the VPC {vpc_id}.")


def _invalid(message: str) -> AwsError:
    return AwsError("InvalidParameter", message)
