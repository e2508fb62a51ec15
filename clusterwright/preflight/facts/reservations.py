"""Capacity reservations and capacity blocks of the account."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from clusterwright.aws import reservations
from clusterwright.preflight.facts.fact import Fact, Reading, answered, ask


@dataclass(frozen=True)
class Reservation(Fact[reservations.Reservation | None]):
    """One reservation or block; None where the account sees none of that id."""

    id: str
    actions: ClassVar = ("ec2:DescribeCapacityReservations",)

    def read(self) -> Reading[reservations.Reservation | None]:
        (found,) = yield [ask(reservations.reservation, self.id)]
        result: reservations.Reservation | None = answered(found)
        return result


@dataclass(frozen=True)
class Reservations(Fact[tuple[reservations.Reservation, ...]]):
    """Every reservation and block of the account in the region."""

    actions: ClassVar = ("ec2:DescribeCapacityReservations",)

    def read(self) -> Reading[tuple[reservations.Reservation, ...]]:
        (found,) = yield [ask(reservations.reservations)]
        result: tuple[reservations.Reservation, ...] = answered(found)
        return result


@dataclass(frozen=True)
class BlockStatuses(Fact[tuple[reservations.BlockStatus, ...]]):
    """How the capacity blocks of UltraServers are connected."""

    actions: ClassVar = ("ec2:DescribeCapacityBlockStatus",)

    def read(self) -> Reading[tuple[reservations.BlockStatus, ...]]:
        (found,) = yield [ask(reservations.block_statuses)]
        result: tuple[reservations.BlockStatus, ...] = answered(found)
        return result
