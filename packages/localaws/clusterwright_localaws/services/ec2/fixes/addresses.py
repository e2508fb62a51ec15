"""moto assigns random addresses without counting them, so a subnet is never full."""

from __future__ import annotations

import ipaddress
from typing import Any

from clusterwright_localaws.core.runtime import runtime
from clusterwright_localaws.services.ec2.network import Network, network_of

MOTO_VERSION = "5.2.5"
DESCRIPTION = (
    "EC2: AvailableIpAddressCount counts HyperPod nodes, file systems and the world's other "
    "users; network interfaces (endpoints, instances) get a free address of their subnet, and "
    "none when it is full (InsufficientFreeAddressesInSubnet)"
)


def apply() -> None:
    from moto.ec2.models import EC2Backend
    from moto.ec2.models.subnets import Subnet

    count_of_moto = Subnet.available_ip_address_count.fget  # type: ignore[attr-defined]
    create_in_moto = EC2Backend.create_network_interface
    address_of_moto = Subnet.get_available_subnet_ip

    def available_ip_address_count(self: Any) -> int:
        if not _counts(self):
            return int(count_of_moto(self))
        return _network(self.ec2_backend).free_addresses(self)

    def create_network_interface(
        self: Any, subnet: Any, private_ip_address: Any, *arguments: Any, **named: Any
    ) -> Any:
        found = self.get_subnet(subnet) if isinstance(subnet, str) else subnet
        if found is None or not _counts(found):
            return create_in_moto(self, subnet, private_ip_address, *arguments, **named)
        requested = private_ip_address
        if isinstance(requested, list):
            requested = requested[0] if requested else None
        free = _network(self).next_free(found)
        if free is None:
            raise _full()
        # moto invents addresses outside the subnet for endpoints.
        if not requested or ipaddress.IPv4Address(requested) not in found.cidr:
            private_ip_address = free
        return create_in_moto(self, subnet, private_ip_address, *arguments, **named)

    def get_available_subnet_ip(self: Any, instance: Any) -> str:
        if not _counts(self):
            return str(address_of_moto(self, instance))
        free = _network(self.ec2_backend).next_free(self)
        if free is None:
            raise _full()
        self._subnet_ips[free] = instance
        return free

    Subnet.available_ip_address_count = property(available_ip_address_count)  # type: ignore[assignment]
    Subnet.get_available_subnet_ip = get_available_subnet_ip  # type: ignore[method-assign]
    EC2Backend.create_network_interface = create_network_interface  # type: ignore[method-assign]


def _counts(subnet: Any) -> bool:
    return runtime().active and isinstance(subnet.cidr, ipaddress.IPv4Network)


def _network(ec2_backend: Any) -> Network:
    return network_of(runtime(), ec2_backend.account_id, ec2_backend.region_name)


def _full() -> Exception:
    from moto.ec2.exceptions import EC2ClientError

    return EC2ClientError(
        "InsufficientFreeAddressesInSubnet",
        "The specified subnet does not have enough free addresses to satisfy the request.",
    )
