"""The capacity reservations and blocks of a spec, and the base class of the rules about them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from clusterwright.cluster_spec.models.compute import CapacityBlock, ComputeGroup
from clusterwright.cluster_spec.models.compute import Reservation as Reserved
from clusterwright.cluster_spec.problems import Path
from clusterwright.preflight.facts.reservations import Reservation
from clusterwright.preflight.rule import Context, Facts, Rule, Subjects
from clusterwright.preflight.rules.compute_groups import can_have_nodes

NOT_YET = ("scheduled", "pending", "assessing", "delayed", "payment-pending")
"""States in which a reservation has no capacity yet."""

ENDED = ("expired", "cancelled", "cancelling", "failed", "payment-failed")
"""Final states of a reservation."""

NONE_NOW = ("unavailable", "unsupported")
"""States in which a reservation has no capacity."""


@dataclass(frozen=True)
class ReservationUse:
    """The groups that use a reservation or block."""

    id: str
    kind: str
    groups: tuple[tuple[Path, ComputeGroup], ...]

    @property
    def count(self) -> int:
        return sum(group.count for _, group in self.groups)

    @property
    def most(self) -> int:
        """With every group at its `max_count`."""
        return sum(max(group.count, group.max_count or 0) for _, group in self.groups)

    @property
    def word(self) -> str:
        return "capacity block" if self.kind == "capacity-block" else "reservation"


def by_reservation(context: Context) -> Iterable[ReservationUse]:
    """The reservations and blocks of the spec, on platforms that support them; one per id."""
    found: dict[str, list[tuple[Path, ComputeGroup]]] = {}
    for path, group in context.groups("reservation", "capacity-block"):
        capacity = group.capacity
        supported = group.capacity.kind in context.platform.capacity_kinds
        wanted = supported and can_have_nodes(context, group)
        if wanted and isinstance(capacity, Reserved | CapacityBlock):
            found.setdefault(capacity.id, []).append((path, group))
    for id_, groups in found.items():
        yield ReservationUse(id_, groups[0][1].capacity.kind, tuple(groups))


class ReservationRule(Rule[ReservationUse]):
    """A rule about each reservation and block of the spec."""

    def subjects(self, context: Context) -> Subjects[ReservationUse]:
        for use in by_reservation(context):
            yield (*use.groups[0][0], "capacity", "id"), use

    def needs(self, use: ReservationUse) -> Facts:
        return (Reservation(use.id),)
