"""moto creates any number of VPCs, addresses and NAT gateways; EC2 has quotas for them.

Codes: https://docs.aws.amazon.com/AWSEC2/latest/APIReference/errors-overview.html
"""

from __future__ import annotations

from typing import Any

from clusterwright_localaws.core import quotas
from clusterwright_localaws.core.runtime import Runtime, runtime

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

    vpc_in_moto = EC2Backend.create_vpc
    address_in_moto = EC2Backend.allocate_address
    nat_in_moto = EC2Backend.create_nat_gateway

    def create_vpc(self: Any, *arguments: Any, **named: Any) -> Any:
        # The default VPC counts, and is created with the backend: it is never refused.
        if runtime().active and getattr(self, "vpcs", None):
            used = quotas.in_use(runtime(), self.account_id, self.region_name, *_VPCS)
            _require(
                self,
                _VPCS,
                used,
                "VpcLimitExceeded",
                "The maximum number of VPCs has been reached.",
            )
        return vpc_in_moto(self, *arguments, **named)

    def allocate_address(self: Any, *arguments: Any, **named: Any) -> Any:
        if runtime().active:
            used = quotas.in_use(runtime(), self.account_id, self.region_name, *_ADDRESSES)
            text = "The maximum number of addresses has been reached."
            _require(self, _ADDRESSES, used, "AddressLimitExceeded", text)
        return address_in_moto(self, *arguments, **named)

    def create_nat_gateway(self: Any, subnet_id: str, *arguments: Any, **named: Any) -> Any:
        if runtime().active:
            zone = self.get_subnet(subnet_id).availability_zone
            others = runtime().world.usage.get("/".join(_NAT_GATEWAYS), 0.0)
            text = "The maximum number of NAT gateways has been reached."
            used = _nat_gateways(self, zone) + others
            _require(self, _NAT_GATEWAYS, used, "NatGatewayLimitExceeded", text)
        return nat_in_moto(self, subnet_id, *arguments, **named)

    EC2Backend.create_vpc = create_vpc  # type: ignore[method-assign]
    EC2Backend.allocate_address = allocate_address  # type: ignore[method-assign]
    EC2Backend.create_nat_gateway = create_nat_gateway  # type: ignore[method-assign]


def _require(ec2: Any, quota: tuple[str, str], used: float, code: str, message: str) -> None:
    from moto.ec2.exceptions import EC2ClientError

    found = quotas.quota(runtime(), ec2.region_name, *quota)
    if found is not None and found.value is not None and used + 1 > found.value:
        raise EC2ClientError(code, message)


def _nat_gateways(ec2: Any, zone: str) -> float:
    live = [
        nat_gateway
        for nat_gateway in ec2.nat_gateways.values()
        if nat_gateway.state not in ("deleted", "failed")
    ]
    return float(sum(ec2.get_subnet(item.subnet_id).availability_zone == zone for item in live))


@quotas.counts_usage(*_VPCS)
def _vpcs_used(current: Runtime, account: str, region: str) -> float:
    from moto.ec2.models import ec2_backends

    return float(len(ec2_backends[account][region].vpcs))


@quotas.counts_usage(*_ADDRESSES)
def _addresses_used(current: Runtime, account: str, region: str) -> float:
    from moto.ec2.models import ec2_backends

    return float(len(ec2_backends[account][region].addresses))
