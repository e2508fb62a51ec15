"""What EC2 refuses while public addresses and network interfaces are in use, and moto accepts.

"The VPC must not contain any running instances with Elastic IP addresses or public IPv4
addresses", with a text that users quote (hashicorp/terraform#497):
https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_DetachInternetGateway.html

"You must disassociate the Elastic IP address before you can release it. Otherwise, Amazon EC2
returns an error (InvalidIPAddress.InUse)", with a text of ours:
https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_ReleaseAddress.html
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from clusterwright_localaws.core.call import Call, operation
from clusterwright_localaws.core.errors import AwsError, ForwardToMoto
from clusterwright_localaws.services.ec2.reserved import ec2_backend

_GONE: Final = frozenset({"deleted", "failed"})


@operation("ec2", "DetachInternetGateway")
def detach_internet_gateway(call: Call) -> Mapping[str, Any]:
    ec2, vpc_id = ec2_backend(call.account, call.region), call.parameters.get("VpcId")
    gateway = ec2.internet_gateways.get(call.parameters["InternetGatewayId"])
    if gateway is None or gateway.vpc is None or gateway.vpc.id != vpc_id:
        raise ForwardToMoto
    if any(_vpc_of(ec2, address) == vpc_id for address in list(ec2.addresses)) or any(
        instance.state == "running" and instance.vpc_id == vpc_id and instance.public_ip
        for reservation in list(ec2.reservations.values())
        for instance in reservation.instances
    ):
        raise AwsError(
            "DependencyViolation",
            f"Network {vpc_id} has some mapped public address(es). Please unmap those public "
            "address(es) before detaching the gateway.",
        )
    raise ForwardToMoto


@operation("ec2", "ReleaseAddress")
def release_address(call: Call) -> Mapping[str, Any]:
    ec2, asked = ec2_backend(call.account, call.region), call.parameters
    for address in list(ec2.addresses):
        named = (address.allocation_id, address.public_ip)
        if (asked.get("AllocationId") or asked.get("PublicIp")) in named:
            vpc = ec2.vpcs.get(_vpc_of(ec2, address))
            if vpc is not None and str(vpc.is_default).lower() != "true":
                text = f"Address {address.public_ip} is in use."
                raise AwsError("InvalidIPAddress.InUse", text)
    _check_named(ec2, asked, "AllocationId")
    raise ForwardToMoto


@operation("ec2", "DisassociateAddress")
def disassociate_address(call: Call) -> Mapping[str, Any]:
    _check_named(ec2_backend(call.account, call.region), call.parameters, "AssociationId")
    raise ForwardToMoto


def _check_named(ec2: Any, asked: Mapping[str, Any], name: str) -> None:
    """Check that a call names one address: moto fails at none, and at "0"."""
    if asked.get(name) and "PublicIp" in asked:
        text = f"The parameter PublicIp cannot be used with the parameter {name}"
        raise AwsError("InvalidParameterCombination", text)
    if asked.get(name):
        return
    if not asked.get("PublicIp"):
        raise AwsError("MissingParameter", f"The request must contain the parameter {name}")
    if asked["PublicIp"] not in {address.public_ip for address in list(ec2.addresses)}:
        raise AwsError("InvalidAddress.NotFound", f"Address '{asked['PublicIp']}' not found.")


def _vpc_of(ec2: Any, address: Any) -> str | None:
    """Return the VPC of what an Elastic IP address is associated with: a NAT gateway or others."""
    for gateway in list(ec2.nat_gateways.values()):
        if gateway.state not in _GONE and any(
            one.get("allocationId") == address.allocation_id for one in gateway.address_set
        ):
            return str(gateway.vpc_id)
    if address.eni is not None and address.eni.subnet is not None:
        return str(address.eni.subnet.vpc_id)
    instance = address.instance
    if instance is not None and instance.state not in ("terminated", "shutting-down"):
        return str(instance.vpc_id)
    return None
