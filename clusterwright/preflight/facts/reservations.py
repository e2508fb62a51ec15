"""Capacity reservations and capacity blocks of the account."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from clusterwright.aws.ec2 import capacity_reservations
from clusterwright.preflight.facts.fact import Fact


@dataclass(frozen=True)
class Reservation(Fact[capacity_reservations.Reservation | None]):
    """A reservation or block; None if the account has no access to one with that id."""

    id: str
    actions: ClassVar = ("ec2:DescribeCapacityReservations",)
    function: ClassVar = capacity_reservations.reservation


@dataclass(frozen=True)
class Reservations(Fact[tuple[capacity_reservations.Reservation, ...]]):
    """Every reservation and block of the account in the region."""

    actions: ClassVar = ("ec2:DescribeCapacityReservations",)
    function: ClassVar = capacity_reservations.reservations


@dataclass(frozen=True)
class BlockStatuses(Fact[tuple[capacity_reservations.BlockStatus, ...]]):
    """The interconnect status of the capacity blocks of UltraServers."""

    actions: ClassVar = ("ec2:DescribeCapacityBlockStatus",)
    function: ClassVar = capacity_reservations.block_statuses
