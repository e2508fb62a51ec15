"""Addresses in use per subnet, and security groups in use.

moto keeps the subnets. This module keeps the addresses of HyperPod nodes and file systems, as
ranges, so that 6,000 nodes with 32 addresses each are 6,000 small tuples.
"""

from __future__ import annotations

import functools
import ipaddress
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from clusterwright_localaws.core import moto_state
from clusterwright_localaws.core.runtime import Runtime

# AWS keeps the first four addresses and the last one of every subnet.
# https://docs.aws.amazon.com/vpc/latest/userguide/subnet-sizing.html
RESERVED_AT_START = 4
RESERVED_AT_END = 1

Range = tuple[int, int]
"""Addresses from the first to before the second, as integers."""


class AddressesExhaustedError(Exception):
    """The subnet has fewer free addresses than requested."""

    def __init__(self, subnet_id: str, asked: int, free: int) -> None:
        super().__init__(f"{subnet_id} has {free} free addresses, {asked} were requested")
        self.subnet_id = subnet_id
        self.asked = asked
        self.free = free


@dataclass
class User:
    """A resource that keeps security groups and subnets from being deleted."""

    name: str
    security_group_ids: tuple[str, ...]
    subnet_ids: tuple[str, ...]


@dataclass
class SubnetLedger:
    """The free ranges of one subnet, without the addresses of moto's network interfaces."""

    cidr: ipaddress.IPv4Network
    blocked_count: int
    free: list[Range] = field(init=False)
    held_count: int = field(init=False, default=0)

    def __post_init__(self) -> None:
        first = int(self.cidr.network_address) + RESERVED_AT_START
        end = int(self.cidr.broadcast_address) + 1 - RESERVED_AT_END - self.blocked_count
        self.free = [(first, end)] if end > first else []

    def take(self, count: int, occupied: Iterable[int]) -> list[Range]:
        """Take `count` addresses outside `occupied`; the caller ensures that they are free."""
        taken: list[Range] = []
        missing = count
        busy = sorted(occupied)
        rest: list[Range] = []
        for start, end in self.free:
            position = start
            for hole in [*busy[bisect_left(busy, start) : bisect_left(busy, end)], end]:
                got = min(hole - position, missing)
                if got > 0:
                    taken.append((position, position + got))
                    missing -= got
                if position + got < hole:
                    rest.append((position + max(got, 0), hole))
                if hole < end:
                    # Used by moto: free again when moto releases it.
                    rest.append((hole, hole + 1))
                position = hole + 1
        if missing:
            raise ValueError(f"{missing} of {count} addresses are missing")
        self.free = _merged(rest)
        self.held_count += count
        return taken

    def give_back(self, ranges: Iterable[Range]) -> None:
        returned = list(ranges)
        self.held_count -= sum(end - start for start, end in returned)
        self.free = _merged(sorted([*self.free, *returned]))


class Network:
    """The address book of one account and region."""

    def __init__(self, runtime: Runtime, account: str, region: str) -> None:
        self._runtime = runtime
        self.account = account
        self.region = region
        self._ledgers: dict[str, SubnetLedger] = {}
        self._users: dict[str, User] = {}

    @property
    def ec2(self) -> Any:
        """Return moto's EC2 of this account and region, with the world's subnets."""
        return moto_state.backend("ec2", self.account, self.region)

    def subnet(self, subnet_id: str) -> Any | None:
        """Return moto's subnet, or `None` if it does not exist."""
        for subnets in self.ec2.subnets.values():
            if subnet_id in subnets:
                return subnets[subnet_id]
        return None

    def security_group(self, group_id: str) -> Any | None:
        """Return moto's security group, or `None` if it does not exist."""
        return self.ec2.get_security_group_from_id(group_id)

    def ledger(self, subnet: Any) -> SubnetLedger:
        found = self._ledgers.get(subnet.id)
        if found is None:
            size = subnet.cidr.num_addresses - RESERVED_AT_START - RESERVED_AT_END
            free = self._free_in_world(subnet.id)
            blocked = 0 if free is None else max(0, size - free)
            found = self._ledgers[subnet.id] = SubnetLedger(subnet.cidr, blocked)
        return found

    def free_addresses(self, subnet: Any) -> int:
        """Return the free addresses of a subnet: not used by moto's interfaces, by us or by
        others.
        """
        return self._free_beside(subnet, len(self._moto_addresses(subnet)))

    def _free_beside(self, subnet: Any, held: int) -> int:
        size = subnet.cidr.num_addresses - RESERVED_AT_START - RESERVED_AT_END
        ledger = self.ledger(subnet)
        return int(max(0, size - ledger.blocked_count - ledger.held_count - held))

    def take(self, subnet: Any, count: int) -> list[Range]:
        """Reserve `count` addresses of a subnet, in as few ranges as possible.

        Raises
        ------
        AddressesExhaustedError
            Fewer are free; none is reserved then.
        """
        free = self.free_addresses(subnet)
        if free < count:
            raise AddressesExhaustedError(subnet.id, count, free)
        return self.ledger(subnet).take(count, self._moto_addresses(subnet))

    def give_back(self, subnet_id: str, ranges: Iterable[Range]) -> None:
        ledger = self._ledgers.get(subnet_id)
        if ledger is not None:
            ledger.give_back(ranges)

    def next_free(self, subnet: Any) -> str | None:
        """Return an address that moto may assign to an interface, or `None` if none is free."""
        held = self._moto_addresses(subnet)
        if self._free_beside(subnet, len(held)) < 1:
            return None
        occupied = set(held)
        for start, end in self.ledger(subnet).free:
            for address in range(start, end):
                if address not in occupied:
                    return str(ipaddress.IPv4Address(address))
        return None

    def use(self, key: str, user: User) -> None:
        """Record that a resource uses security groups and subnets, until `release`."""
        self._users[key] = user

    def release(self, key: str) -> None:
        self._users.pop(key, None)

    def users_of_security_group(self, group_id: str) -> list[str]:
        return [user.name for user in self._users.values() if group_id in user.security_group_ids]

    def users_of_subnet(self, subnet_id: str) -> list[str]:
        return [user.name for user in self._users.values() if subnet_id in user.subnet_ids]

    def forget_subnet(self, subnet_id: str) -> None:
        self._ledgers.pop(subnet_id, None)

    def _free_in_world(self, subnet_id: str) -> int | None:
        world = self._runtime.world
        for seed in world.subnets:
            if seed.id == subnet_id:
                return seed.free_addresses
        return world.new_subnets.free_addresses

    def _moto_addresses(self, subnet: Any) -> list[int]:
        found = []
        first, last = int(subnet.cidr.network_address), int(subnet.cidr.broadcast_address)
        for interface in list(self.ec2.enis.values()):
            if interface.subnet is None or interface.subnet.id != subnet.id:
                continue
            for entry in interface.private_ip_addresses:
                text = entry.get("PrivateIpAddress")
                if text:
                    address = _number(text)
                    # moto also invents addresses outside the subnet; each still uses one address.
                    found.append(address if first <= address <= last else -1)
        return found


@functools.lru_cache(maxsize=65_536)
def _number(address: str) -> int:
    """An address as a number: each new interface is compared with all of its subnet."""
    return int(ipaddress.IPv4Address(address))


def network_of(runtime: Runtime, account: str, region: str) -> Network:
    """Return the address book of an account and region; the first call creates the world's
    subnets.
    """

    def build() -> Network:
        network = Network(runtime, account, region)
        if region == runtime.world.region:
            _seed(network, runtime)
        return network

    return runtime.store("network", account, region, build)


def addresses(ranges: Iterable[Range]) -> Iterator[str]:
    """Return every address in ranges, as text."""
    for start, end in ranges:
        for number in range(start, end):
            yield str(ipaddress.IPv4Address(number))


def _seed(network: Network, runtime: Runtime) -> None:
    ec2 = network.ec2
    for seed in runtime.world.subnets:
        if network.subnet(seed.id) is not None:
            continue
        vpc = ec2.vpcs.get(seed.vpc_id)
        if vpc is None:
            vpc = _seed_vpc(ec2, seed.vpc_id, seed.vpc_cidr)
            if not seed.closed:
                _lead_out(ec2, vpc.id)
        subnet = ec2.create_subnet(vpc.id, seed.cidr, availability_zone_id=seed.zone_id)
        subnets = ec2.subnets[subnet.availability_zone]
        del subnets[subnet.id]
        subnet.id = seed.id
        subnet.shared_by = seed.owner_account
        subnet.default_for_az = False
        subnet.map_public_ip_on_launch = False
        subnets[seed.id] = subnet
        for group_id in seed.security_group_ids:
            if network.security_group(group_id) is None:
                _seed_security_group(ec2, vpc.id, group_id)


def _seed_vpc(ec2: Any, vpc_id: str, cidr: str) -> Any:
    vpc = ec2.create_vpc(cidr)
    old = vpc.id
    vpc.id = vpc_id
    vpc.enable_dns_hostnames = True
    ec2.vpcs[vpc_id] = ec2.vpcs.pop(old)
    for table in ec2.route_tables.values():
        if table.vpc_id == old:
            table.vpc_id = vpc_id
    for acl in ec2.network_acls.values():
        if acl.vpc_id == old:
            acl.vpc_id = vpc_id
    if old in ec2.groups:
        ec2.groups[vpc_id] = ec2.groups.pop(old)
        for group in ec2.groups[vpc_id].values():
            group.vpc_id = vpc_id
    return vpc


def _lead_out(ec2: Any, vpc_id: str) -> None:
    """Create an egress path of a VPC that uses none of the account's quotas: a transit gateway."""
    gateways = list(ec2.transit_gateways.values())
    gateway = gateways[0] if gateways else ec2.create_transit_gateway(description="Central")
    for table in list(ec2.route_tables.values()):
        if table.vpc_id == vpc_id:
            ec2.create_route(table.id, "0.0.0.0/0", transit_gateway_id=gateway.id)


def _seed_security_group(ec2: Any, vpc_id: str, group_id: str) -> None:
    group = ec2.create_security_group(group_id, "A group of the world", vpc_id=vpc_id)
    groups = ec2.groups[vpc_id]
    del groups[group.id]
    group.id = group.group_id = group_id
    groups[group_id] = group
    for rule in (*group.egress_rules, *group.ingress_rules):
        rule.group_id = group_id
    itself = [{"GroupId": group_id}]
    ec2.authorize_security_group_ingress(group_id, "-1", None, None, [], source_groups=itself)
    ec2.authorize_security_group_egress(group_id, "-1", None, None, [], source_groups=itself)


def _merged(ranges: Iterable[Range]) -> list[Range]:
    merged: list[Range] = []
    for start, end in ranges:
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged
