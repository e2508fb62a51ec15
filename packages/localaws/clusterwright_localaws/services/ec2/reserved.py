"""Reserved capacity of one account and region: reservations, blocks and their instances.

Capacity blocks are capacity reservations too, that belong to a block. The state of both depends on
the clock, and the free capacity on the running instances.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from clusterwright_localaws.core import catalog_facts, moto_state
from clusterwright_localaws.core.runtime import Runtime
from clusterwright_localaws.services.ec2.zones import partition_of, zone_name
from clusterwright_localaws.worlds.model import CapacityReservationSeed, moment_of

ENDED = frozenset({"cancelled", "expired", "failed", "payment-failed", "unsupported"})
SPOT = "spot"
BLOCK = "capacity-block"
INTERRUPTIBLE = "interruptible-capacity-reservation"
MARKETS = {
    "SPOT": SPOT,
    "CAPACITY_BLOCK": BLOCK,
    "INTERRUPTIBLE_CAPACITY_RESERVATION": INTERRUPTIBLE,
}
"""The market types of EC2, by the words of AWS PCS and AWS ParallelCluster for what is bought."""
# EC2 begins to terminate instances thirty minutes before a block ends:
# https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/capacity-blocks-using.html
TERMINATES_BEFORE_END = timedelta(minutes=30)
_STORE = "ec2 capacity reservations"
_RUNNING = frozenset({"pending", "running"})


@dataclass
class Reservation:
    """One reservation: the members of the API's answer, and internal state."""

    members: dict[str, Any]
    held: bool = False  # the world's file sets the state, independent of the time
    used_by_others: int = 0
    paid_at: datetime | None = None
    extensions: list[dict[str, Any]] = field(default_factory=list)

    @property
    def id(self) -> str:
        return str(self.members["CapacityReservationId"])

    @property
    def is_block(self) -> bool:
        return bool(self.members["ReservationType"] == BLOCK)

    @property
    def market(self) -> str:
        """The market type that a launch into it needs; empty for none."""
        if self.members.get("Interruptible"):
            return INTERRUPTIBLE
        return BLOCK if self.is_block else ""

    def advance(self, now: datetime) -> None:
        """Complete payments, begin and end the reservation, as far as they are due."""
        if self.held:
            return
        one, end = self.members, self.members.get("EndDate")
        if one["State"] == "payment-pending" and (self.paid_at is None or self.paid_at <= now):
            one["State"] = "scheduled"
        if one["State"] == "scheduled" and one["StartDate"] <= now:
            one["State"] = "active"
        for extension in self.extensions:
            self._pay(extension, now)
        end = one.get("EndDate")
        if one["State"] == "active" and end is not None and end <= now:
            one["State"] = "expired"

    def _pay(self, extension: dict[str, Any], now: datetime) -> None:
        status = "CapacityBlockExtensionStatus"
        if extension[status] != "payment-pending" or extension["_PaidAt"] > now:
            return
        extension[status] = "payment-succeeded"
        self.members["EndDate"] = extension["CapacityBlockExtensionEndDate"]


@dataclass
class Reserved:
    """The reserved capacity of one account and region."""

    runtime: Runtime
    account: str
    region: str
    by_id: dict[str, Reservation] = field(default_factory=dict)
    blocks: dict[str, dict[str, Any]] = field(default_factory=dict)
    # Offerings that DescribeCapacityBlock…Offerings answered and that were not bought.
    offerings: dict[str, dict[str, Any]] = field(default_factory=dict)
    extension_offerings: dict[str, dict[str, Any]] = field(default_factory=dict)
    bought_offerings: set[str] = field(default_factory=set)

    def advance(self) -> None:
        """Update states by the clock; a block that is about to end loses its instances."""
        now = self.runtime.clock.now()
        for item in self.by_id.values():
            item.advance(now)
            end = item.members.get("EndDate")
            if item.is_block and end is not None and end - TERMINATES_BEFORE_END <= now:
                self._terminate(item)

    def add(self, reservation: Reservation) -> None:
        self.by_id[reservation.id] = reservation

    def instances_in(self, reservation_id: str) -> list[Any]:
        """Instances that run in a reservation."""
        return [
            instance
            for instance in running(self.account, self.region)
            if getattr(instance, "capacity_reservation_id", None) == reservation_id
        ]

    def used(self, one: Reservation) -> int:
        return one.used_by_others + len(self.instances_in(one.id))

    def available(self, one: Reservation) -> int:
        if one.members["State"] != "active":
            # A scheduled block shows its future capacity; an expired block has none.
            return 0 if one.members["State"] in ENDED else int(one.members["TotalInstanceCount"])
        return max(0, int(one.members["TotalInstanceCount"]) - self.used(one))

    def _terminate(self, one: Reservation) -> None:
        ids = [instance.id for instance in self.instances_in(one.id)]
        if ids:
            ec2_backend(self.account, self.region).terminate_instances(ids)


def reserved_in(runtime: Runtime, account: str, region: str) -> Reserved:
    """Return the current reserved capacity of one account and region, with the world's."""

    def build() -> Reserved:
        found = Reserved(runtime, account, region)
        if region == runtime.world.region:
            for seed in runtime.world.capacity_reservations:
                _seed(found, seed)
        return found

    found = runtime.store(_STORE, account, region, build)
    found.advance()
    return found


def ec2_backend(account: str, region: str) -> Any:
    return moto_state.backend("ec2", account, region)


def running(account: str, region: str) -> Iterator[Any]:
    """Return moto's instances that are pending or running."""
    for reservation in list(ec2_backend(account, region).reservations.values()):
        for instance in reservation.instances:
            if instance.state in _RUNNING:
                yield instance


def reserved_vcpus(runtime: Runtime, account: str, region: str, code: str) -> float:
    """Return the vCPUs of reservations that count against a family's on-demand quota.

    https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/capacity-reservations-concepts.html
    """
    total = 0.0
    for item in reserved_in(runtime, account, region).by_id.values():
        if item.members["State"] != "active" or item.is_block:
            continue
        name = item.members["InstanceType"]
        if catalog_facts.quota_code(name, "ec2-on-demand") == code:
            total += (catalog_facts.vcpus_of(name) or 0) * item.members["TotalInstanceCount"]
    return total


def block_id(reservation_id: str) -> str:
    """Return the id of the block of a world's reservation, derived so that it is stable."""
    return f"cb-{hashlib.sha256(reservation_id.encode()).hexdigest()[:17]}"


def _seed(found: Reserved, seed: CapacityReservationSeed) -> None:
    now = found.runtime.clock.now()
    start = moment_of(seed.start, now)
    end = moment_of(seed.end, now) if seed.end else None
    available = seed.available_instance_count
    is_block = seed.kind == BLOCK
    arn = (
        f"arn:{partition_of(found.region)}:ec2:{found.region}:{found.account}:"
        f"capacity-reservation/{seed.id}"
    )
    members: dict[str, Any] = {
        "CapacityReservationId": seed.id,
        "OwnerId": found.account,
        "CapacityReservationArn": arn,
        "InstanceType": seed.instance_type,
        "InstancePlatform": "Linux/UNIX",
        "AvailabilityZone": zone_name(found.region, seed.zone_id) or "",
        "AvailabilityZoneId": seed.zone_id,
        "Tenancy": "default",
        "TotalInstanceCount": seed.instance_count,
        "EbsOptimized": False,
        "EphemeralStorage": False,
        "State": seed.state or "scheduled",
        "StartDate": start,
        "EndDateType": "limited" if end else "unlimited",
        "InstanceMatchCriteria": "targeted" if is_block else seed.match_criteria,
        "CreateDate": min(start, now),
        "ReservationType": BLOCK if is_block else "default",
    }
    if end is not None:
        members["EndDate"] = end
    if seed.interruptible:
        members |= {"Interruptible": True, "InterruptionInfo": {"InterruptionType": "adhoc"}}
    others = 0 if available is None else max(0, seed.instance_count - available)
    found.add(Reservation(members, held=seed.state is not None, used_by_others=others))
    if is_block:
        members["CapacityBlockId"] = block_id(seed.id)
        block = {"CapacityBlockId": members["CapacityBlockId"], "_Reservations": [seed.id]}
        if seed.ultra_server_type:
            block["UltraserverType"] = seed.ultra_server_type
        found.blocks[block["CapacityBlockId"]] = block
