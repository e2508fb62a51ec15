"""A group and its capacity reservation are in the same placement group."""

from __future__ import annotations

from clusterwright.preflight.facts.reservations import Reservation
from clusterwright.preflight.rule import FactValues, Fail, Results
from clusterwright.preflight.rules.reservations.reservation_rule import (
    ENDED,
    ReservationRule,
    ReservationUse,
)


class ReservationPlacement(ReservationRule):
    id = "CW-C038"
    prevents = (
        "some of the reserved instances never start: they are not in the placement group "
        "(11 of 16 in eksctl #7949)"
    )
    source = (
        "AWS documentation, Capacity Reservations for cluster placement groups; "
        "aws/aws-parallelcluster, PlacementGroupCapacityReservation; eksctl #7949"
    )
    needs = ReservationRule.needs

    def check(self, use: ReservationUse, facts: FactValues) -> Results:
        found = facts[Reservation(use.id)]
        if found is None or found.state in ENDED:
            return
        for path, group in use.groups:
            here = (*path, "placement_group")
            if group.placement_group and found.kind != "capacity-block":
                # CW-C007 checks capacity blocks.
                theirs = found.placement_group
                yield Fail(
                    message=f"`{group.name}` gets a new placement group, the {use.word} "
                    + (f"{use.id} is in {theirs}" if theirs else f"{use.id} is in none"),
                    path=here,
                    # Reserved instances may be close together by chance; those of another
                    # placement group are never in this one.
                    severity="error" if theirs else "warning",
                    limit=theirs,
                    where=use.id,
                    hint="placement_group: false",
                )
            elif found.placement_group and not group.placement_group:
                yield Fail(
                    message=f"the {use.word} {use.id} is in the placement group "
                    f"{found.placement_group}, `{group.name}` in none: its instances do not "
                    "match the reservation",
                    path=(*path, "capacity", "id"),
                    limit=found.placement_group,
                    where=use.id,
                    hint="use a reservation without a placement group",
                )
