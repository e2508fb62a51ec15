"""Errors of moto's EC2 have texts of its own, some with Python lists and sets in them.

The texts here are those of EC2 that users published: hashicorp/terraform#1874, #13489 and #15428,
lucidsoftware/cumulus#101, ansible/ansible-modules-core#3258, cloudlaunch#56,
berlioz-the/berlioz#1, mitchellh/vagrant-aws#213, terraform-provider-aws#3653 and #4821,
terraform-aws-vault-ha-raft#54, cfn101-workshop#165, OrdControl#13.
"""

from __future__ import annotations

import contextvars
from collections.abc import Iterable, Iterator
from typing import Any, Final

MOTO_VERSION = "5.2.5"
DESCRIPTION = "EC2: errors about unknown ids, duplicate groups and rules have EC2's texts"
_NOT_FOUND: Final = {
    "InvalidVPCIdError": ("InvalidVpcID.NotFound", "vpc"),
    "InvalidAllocationIdError": ("InvalidAllocationID.NotFound", "allocation"),
    "InvalidAssociationIdError": ("InvalidAssociationID.NotFound", "association"),
    "InvalidDHCPOptionsIdError": ("InvalidDhcpOptionID.NotFound", "dhcpOption"),
    "InvalidInternetGatewayIdError": ("InvalidInternetGatewayID.NotFound", "internetGateway"),
    "InvalidVPCPeeringConnectionIdError": (
        "InvalidVpcPeeringConnectionID.NotFound",
        "vpcPeeringConnection",
    ),
    "InvalidNetworkAclIdError": ("InvalidNetworkAclID.NotFound", "networkAcl"),
}
_PROTOCOLS: Final = frozenset({"tcp", "udp"})
_last_rule: contextvars.ContextVar[Any] = contextvars.ContextVar("last_rule", default=None)
"""The rule that moto compares with those of a group at this moment."""


def apply() -> None:
    from moto.ec2 import exceptions
    from moto.ec2.models import EC2Backend

    for name, (code, noun) in _NOT_FOUND.items():
        getattr(exceptions, name).__init__ = _not_found(code, noun)
    exceptions.InvalidPermissionNotFoundError.__init__ = _fixed(  # type: ignore[method-assign]
        "InvalidPermission.NotFound", "The specified rule does not exist in this security group."
    )
    exceptions.InvalidPermissionDuplicateError.__init__ = _duplicate  # type: ignore[method-assign]
    exceptions.GatewayNotAttachedError.__init__ = _not_attached  # type: ignore[method-assign]
    exceptions.InvalidSnapshotIdError.__init__ = _fixed(  # type: ignore[method-assign]
        "InvalidSnapshot.NotFound", "Snapshot does not exist"
    )
    _keep_rules(EC2Backend)
    _name_vpc(EC2Backend)
    _name_network(EC2Backend)
    _name_addresses(EC2Backend)


def _not_found(code: str, noun: str) -> Any:
    def initialise(self: Any, ids: Any) -> None:
        found = [ids] if isinstance(ids, str) else sorted(str(each) for each in ids)
        named = ", ".join(found)
        text = f"ID '{named}' does not exist" if len(found) == 1 else f"IDs '{named}' do not exist"
        super(type(self), self).__init__(code, f"The {noun} {text}")

    return initialise


def _fixed(code: str, text: str) -> Any:
    def initialise(self: Any) -> None:
        super(type(self), self).__init__(code, text)

    return initialise


def _not_attached(self: Any, internet_gateway_id: str, vpc_id: str) -> None:
    text = f"resource {internet_gateway_id} is not attached to network {vpc_id}"
    super(type(self), self).__init__("Gateway.NotAttached", text)


def _duplicate(self: Any) -> None:
    rule = _last_rule.get()
    named = "" if rule is None else f' "{_described(rule)}"'
    text = f"the specified rule{named} already exists"
    super(type(self), self).__init__("InvalidPermission.Duplicate", text)


def _described(rule: Any) -> str:
    group = rule.source_group.get("GroupId")
    ranges = rule.ip_range
    ip_range = (
        ranges.get("CidrIp") or ranges.get("CidrIpv6") if isinstance(ranges, dict) else ranges
    )
    peer = group or ip_range or rule.prefix_list_id
    if rule.ip_protocol == "-1":
        traffic = "ALL"
    elif rule.ip_protocol in _PROTOCOLS:
        ports = f"from port: {rule.from_port}, to port: {rule.to_port}"
        traffic = f"{rule.ip_protocol.upper()}, {ports}"
    elif str(rule.ip_protocol).isdigit():
        traffic = f"protocol: {rule.ip_protocol}"
    else:  # as of the others, not published
        traffic = f"{rule.ip_protocol.upper()}, type: {rule.from_port}, code: {rule.to_port}"
    return f"peer: {peer}, {traffic}, ALLOW"


def _keep_rules(backend: Any) -> None:
    in_moto = backend._iterate_security_rules

    def _iterate_security_rules(self: Any, *arguments: Any, **named: Any) -> Iterator[Any]:
        for rule in in_moto(self, *arguments, **named):
            _last_rule.set(rule)
            yield rule

    backend._iterate_security_rules = _iterate_security_rules


def _name_vpc(backend: Any) -> None:
    from moto.ec2.exceptions import EC2ClientError, InvalidSecurityGroupDuplicateError

    in_moto = backend.create_security_group

    def create_security_group(
        self: Any, name: str, description: str, vpc_id: str | None = None, **named: Any
    ) -> Any:
        try:
            return in_moto(self, name, description, vpc_id, **named)
        except InvalidSecurityGroupDuplicateError as error:
            there = vpc_id or self.default_vpc.id
            text = f"The security group '{name}' already exists for VPC '{there}'"
            raise EC2ClientError("InvalidGroup.Duplicate", text) from error

    backend.create_security_group = create_security_group


def _name_network(backend: Any) -> None:
    from moto.ec2.exceptions import EC2ClientError

    in_moto = backend.attach_internet_gateway

    def attach_internet_gateway(self: Any, internet_gateway_id: str, vpc_id: str) -> Any:
        gateway = self.get_internet_gateway(internet_gateway_id)
        if gateway.vpc is not None:
            raise EC2ClientError(
                "Resource.AlreadyAssociated",
                f"resource {internet_gateway_id} is already attached to network {gateway.vpc.id}",
            )
        if _attached(self.internet_gateways.values(), vpc_id):
            raise EC2ClientError(
                "InvalidParameterValue",
                f"Network {vpc_id} already has an internet gateway attached",
            )
        return in_moto(self, internet_gateway_id, vpc_id)

    backend.attach_internet_gateway = attach_internet_gateway


def _attached(gateways: Iterable[Any], vpc_id: str) -> bool:
    return any(gateway.vpc is not None and gateway.vpc.id == vpc_id for gateway in list(gateways))


def _name_addresses(backend: Any) -> None:
    """Name the addresses that do not exist: moto names all that are asked for."""
    from moto.ec2.exceptions import InvalidAddressError, InvalidAllocationIdError

    in_moto = backend.describe_addresses

    def describe_addresses(
        self: Any, allocation_ids: Any = None, public_ips: Any = None, filters: Any = None
    ) -> Any:
        for attribute, asked, refused in (
            ("allocation_id", allocation_ids, InvalidAllocationIdError),
            ("public_ip", public_ips, InvalidAddressError),
        ):
            unknown = {*(asked or ())} - {getattr(one, attribute) for one in self.addresses}
            if unknown:
                raise refused(min(unknown))
        return in_moto(self, allocation_ids, public_ips, filters)

    backend.describe_addresses = describe_addresses
