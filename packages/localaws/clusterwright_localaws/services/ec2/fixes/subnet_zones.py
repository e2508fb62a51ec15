"""moto assigns no zone to subnets created by zone id, and accepts zones of other regions."""

from __future__ import annotations

from typing import Any

from clusterwright_localaws.core.runtime import runtime
from clusterwright_localaws.services.ec2.zones import opted_in

MOTO_VERSION = "5.2.5"
DESCRIPTION = (
    "EC2: CreateSubnet by AvailabilityZoneId works as by name (moto made the first such subnet a "
    "default subnet with public addresses); zones of other regions are refused, and local zones "
    "that the account has not opted in to; DescribeSubnets has the filter `availabilityZoneId`"
)


def apply() -> None:
    from moto.ec2.models import EC2Backend
    from moto.ec2.models.subnets import Subnet

    # The world's subnets may be shared by another account.
    Subnet.owner_id = property(  # type: ignore[assignment, method-assign]
        lambda self: getattr(self, "shared_by", None) or self.ec2_backend.account_id
    )

    value_in_moto = Subnet.get_filter_value

    def get_filter_value(self: Any, filter_name: str, method_name: str | None = None) -> Any:
        # moto has the former names of the other filters.
        name = "availability-zone-id" if filter_name == "availabilityZoneId" else filter_name
        return value_in_moto(self, name, method_name)

    Subnet.get_filter_value = get_filter_value  # type: ignore[method-assign]

    create_in_moto = EC2Backend.create_subnet

    def create_subnet(
        self: Any,
        vpc_id: str,
        cidr_block: str,
        ipv6_cidr_block: str | None = None,
        availability_zone: str | None = None,
        availability_zone_id: str | None = None,
        *arguments: Any,
        **named: Any,
    ) -> Any:
        if runtime().active:
            availability_zone = _zone(
                self.account_id, self.region_name, availability_zone, availability_zone_id
            )
            availability_zone_id = None
        return create_in_moto(
            self,
            vpc_id,
            cidr_block,
            ipv6_cidr_block,
            availability_zone,
            availability_zone_id,
            *arguments,
            **named,
        )

    EC2Backend.create_subnet = create_subnet  # type: ignore[method-assign]


def _zone(account: str, region: str, name: str | None, zone_id: str | None) -> str | None:
    from moto.ec2.exceptions import InvalidAvailabilityZoneError
    from moto.ec2.models.availability_zones_and_regions import RegionsAndZonesBackend

    if name is None and zone_id is None:
        return None
    zones = RegionsAndZonesBackend.zones.get(region, [])
    for zone in zones:
        if name in (None, zone.name) and zone_id in (None, zone.zone_id):
            if not opted_in(runtime(), account, region, zone):
                break
            return str(zone.name)
    raise InvalidAvailabilityZoneError(name or zone_id, ", ".join(zone.name for zone in zones))
