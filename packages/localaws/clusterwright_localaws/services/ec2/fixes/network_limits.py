"""moto creates any number of VPCs, addresses and NAT gateways; EC2 has quotas for them.

Codes: https://docs.aws.amazon.com/AWSEC2/latest/APIReference/errors-overview.html
"""

from __future__ import annotations

from typing import Any

from clusterwright_localaws.core.moto_quotas import Refusal, count, limit
from clusterwright_localaws.core.runtime import runtime

MOTO_VERSION = "5.2.5"
DESCRIPTION = (
    "EC2: CreateVpc, AllocateAddress and CreateNatGateway refuse requests beyond the world's "
    "quotas of "
    "VPCs, Elastic IPs and NAT gateways per zone"
)
_VPCS = ("vpc", "L-F678F1CE")
_ADDRESSES = ("ec2", "L-0263D0A3")
_NAT_GATEWAYS = ("vpc", "L-FE5A380F")


def apply() -> None:
    from moto.ec2.models import EC2Backend

    # The default VPC counts, and is created with the backend: it is never refused.
    limit(
        EC2Backend,
        "create_vpc",
        _VPCS,
        refusal("VpcLimitExceeded", "VPCs"),
        added=lambda ec2, *arguments, **named: 1.0 if getattr(ec2, "vpcs", None) else None,
    )
    refused = refusal("AddressLimitExceeded", "addresses")
    limit(EC2Backend, "allocate_address", _ADDRESSES, refused)
    refused = refusal("NatGatewayLimitExceeded", "NAT gateways")
    limit(EC2Backend, "create_nat_gateway", _NAT_GATEWAYS, refused, used=_nat_gateways)


def refusal(code: str, resources: str) -> Refusal:
    """Return EC2's refusal of more `resources`."""
    from moto.ec2.exceptions import EC2ClientError

    message = f"The maximum number of {resources} has been reached."
    return lambda quota: EC2ClientError(code, message)


def _nat_gateways(ec2: Any, subnet_id: str, *arguments: Any, **named: Any) -> float:
    """Return the NAT gateways in the zone of a subnet."""
    zone = ec2.get_subnet(subnet_id).availability_zone
    live = [
        nat_gateway
        for nat_gateway in ec2.nat_gateways.values()
        if nat_gateway.state not in ("deleted", "failed")
    ]
    others = runtime().world.usage.get("/".join(_NAT_GATEWAYS), 0.0)
    return others + sum(
        1.0 for gateway in live if ec2.get_subnet(gateway.subnet_id).availability_zone == zone
    )


count(_VPCS, "ec2", lambda ec2: len(ec2.vpcs))
count(_ADDRESSES, "ec2", lambda ec2: len(ec2.addresses))
