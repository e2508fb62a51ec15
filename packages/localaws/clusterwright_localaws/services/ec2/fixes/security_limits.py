"""moto creates any number of gateways, groups, rules, interfaces and endpoints; EC2 has quotas.

Codes: https://docs.aws.amazon.com/AWSEC2/latest/APIReference/errors-overview.html
"""

from __future__ import annotations

from typing import Any

from clusterwright_localaws.core import quotas
from clusterwright_localaws.core.runtime import Runtime, runtime

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

    _gateways(EC2Backend)
    _groups(EC2Backend)
    _rules(EC2Backend)
    _interfaces(EC2Backend)
    _endpoints(EC2Backend)


def _gateways(backend: Any) -> None:
    create_in_moto = backend.create_internet_gateway

    def create_internet_gateway(self: Any, *arguments: Any, **named: Any) -> Any:
        if runtime().active:
            used = quotas.in_use(runtime(), self.account_id, self.region_name, *_GATEWAYS)
            text = "The maximum number of internet gateways has been reached."
            _require(self, _GATEWAYS, used + 1, "InternetGatewayLimitExceeded", text)
        return create_in_moto(self, *arguments, **named)

    backend.create_internet_gateway = create_internet_gateway


def _groups(backend: Any) -> None:
    create_in_moto = backend.create_security_group

    def create_security_group(self: Any, name: str, *arguments: Any, **named: Any) -> Any:
        # The default group is created with its VPC, which the quota of VPCs may refuse.
        if runtime().active and name != "default":
            used = quotas.in_use(runtime(), self.account_id, self.region_name, *_GROUPS)
            text = "The maximum number of security groups has been reached."
            _require(self, _GROUPS, used + 1, "SecurityGroupLimitExceeded", text)
        return create_in_moto(self, name, *arguments, **named)

    backend.create_security_group = create_security_group


def _rules(backend: Any) -> None:
    """Return the number of rules: one for every source or destination (VPC quotas)."""
    for operation, attribute in (
        ("authorize_security_group_ingress", "ingress_rules"),
        ("authorize_security_group_egress", "egress_rules"),
    ):
        _rules_of(backend, operation, attribute)


def _rules_of(backend: Any, operation: str, attribute: str) -> None:
    in_moto = getattr(backend, operation)

    def authorize(
        self: Any,
        group_name_or_id: str,
        ip_protocol: str,
        from_port: str,
        to_port: str,
        ip_ranges: list[Any],
        *arguments: Any,
        **named: Any,
    ) -> Any:
        group = self.get_security_group_by_name_or_id(group_name_or_id, named.get("vpc_id"))
        if runtime().active and group is not None:
            sources = (ip_ranges, named.get("source_groups"), named.get("prefix_list_ids"))
            requested = len(getattr(group, attribute)) + sum(
                len(source or ()) for source in sources
            )
            text = "The maximum number of rules per security group has been reached."
            _require(self, _RULES, requested, "RulesPerSecurityGroupLimitExceeded", text)
        return in_moto(
            self,
            group_name_or_id,
            ip_protocol,
            from_port,
            to_port,
            ip_ranges,
            *arguments,
            **named,
        )

    setattr(backend, operation, authorize)


def _interfaces(backend: Any) -> None:
    create_in_moto = backend.create_network_interface

    def create_network_interface(
        self: Any,
        subnet: Any,
        private_ip_address: Any,
        private_ip_addresses: Any = None,
        group_ids: Any = None,
        *arguments: Any,
        **named: Any,
    ) -> Any:
        if runtime().active:
            found = self.get_subnet(subnet) if isinstance(subnet, str) else subnet
            zone = getattr(found, "availability_zone", "")
            others = runtime().world.usage.get("/".join(_INTERFACES), 0.0)
            used = others + sum(
                1.0
                for eni in list(self.enis.values())
                if eni.subnet is not None and eni.subnet.availability_zone == zone
            )
            text = "The maximum number of network interfaces has been reached."
            _require(self, _INTERFACES, used + 1, "NetworkInterfaceLimitExceeded", text)
            groups = group_ids or []
            text = "The maximum number of security groups per interface has been reached."
            _require(
                self,
                _GROUPS_PER_INTERFACE,
                len(groups),
                "SecurityGroupsPerInterfaceLimitExceeded",
                text,
            )
        return create_in_moto(
            self,
            subnet,
            private_ip_address,
            private_ip_addresses,
            group_ids,
            *arguments,
            **named,
        )

    backend.create_network_interface = create_network_interface


def _endpoints(backend: Any) -> None:
    create_in_moto = backend.create_vpc_endpoint

    def create_vpc_endpoint(self: Any, *arguments: Any, **named: Any) -> Any:
        if runtime().active:
            vpc_id = arguments[0] if arguments else named.get("vpc_id")
            kind = str(named.get("endpoint_type") or "Gateway").lower()
            there = [e for e in self.vpc_end_points.values() if e.state != "deleted"]
            text = "The maximum number of VPC endpoints has been reached."
            if kind == "interface":
                used = sum(e.vpc_id == vpc_id and _kind(e) == kind for e in there)
                _require(self, _INTERFACE_ENDPOINTS, used + 1, "VpcEndpointLimitExceeded", text)
            elif kind == "gateway":
                used = quotas.in_use(
                    runtime(), self.account_id, self.region_name, *_GATEWAY_ENDPOINTS
                )
                _require(self, _GATEWAY_ENDPOINTS, used + 1, "VpcEndpointLimitExceeded", text)
        return create_in_moto(self, *arguments, **named)

    backend.create_vpc_endpoint = create_vpc_endpoint


def _kind(endpoint: Any) -> str:
    return str(endpoint.vpc_endpoint_type or "Gateway").lower()


def _require(ec2: Any, quota: tuple[str, str], requested: float, code: str, message: str) -> None:
    found = quotas.quota(runtime(), ec2.region_name, *quota)
    if found is not None and found.value is not None and requested > found.value:
        raise _error(code, message)


def _error(code: str, message: str) -> Exception:
    from moto.ec2.exceptions import EC2ClientError

    return EC2ClientError(code, message)


@quotas.counts_usage(*_GATEWAYS)
def _gateways_used(current: Runtime, account: str, region: str) -> float:
    from moto.ec2.models import ec2_backends

    return float(len(ec2_backends[account][region].internet_gateways))


@quotas.counts_usage(*_GROUPS)
def _groups_used(current: Runtime, account: str, region: str) -> float:
    from moto.ec2.models import ec2_backends

    return float(sum(len(groups) for groups in ec2_backends[account][region].groups.values()))


@quotas.counts_usage(*_GATEWAY_ENDPOINTS)
def _gateway_endpoints_used(current: Runtime, account: str, region: str) -> float:
    from moto.ec2.models import ec2_backends

    found = ec2_backends[account][region].vpc_end_points.values()
    return float(sum(e.state != "deleted" and _kind(e) == "gateway" for e in found))
