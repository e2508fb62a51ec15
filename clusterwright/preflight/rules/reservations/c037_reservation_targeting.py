"""The capacity reservation is targeted."""

from __future__ import annotations

from clusterwright.preflight.facts.reservations import Reservation
from clusterwright.preflight.rule import FactValues, Fail, Results
from clusterwright.preflight.rules.reservations.reservation_rule import (
    ENDED,
    ReservationRule,
    ReservationUse,
)


class ReservationTargeting(ReservationRule):
    id = "CW-C037"
    severity = "warning"
    prevents = (
        "a replaced node without capacity: an open reservation is used by any instance of "
        "the type that is launched in the zone"
    )
    source = "EC2 CreateCapacityReservation, InstanceMatchCriteria"
    needs = ReservationRule.needs

    def check(self, use: ReservationUse, facts: FactValues) -> Results:
        found = facts[Reservation(use.id)]
        if found is not None and found.match == "open" and found.state not in ENDED:
            yield Fail(
                message=f"the {use.word} {use.id} is open: any {found.instance_type} launched in "
                f"{found.zone} uses it",
                where=use.id,
                hint="`aws ec2 modify-capacity-reservation --instance-match-criteria targeted`",
            )
