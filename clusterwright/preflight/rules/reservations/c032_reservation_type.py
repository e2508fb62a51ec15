"""The capacity reservation has the group's instance type."""

from __future__ import annotations

from clusterwright.preflight.facts.reservations import Reservation
from clusterwright.preflight.rule import FactValues, Fail, Results
from clusterwright.preflight.rules.reservations.reservation_rule import (
    ReservationRule,
    ReservationUse,
)


class ReservationType(ReservationRule):
    id = "CW-C032"
    prevents = "RunInstances fails: the reservation is for another instance type"
    source = "aws/aws-parallelcluster, CapacityReservation validator"
    needs = ReservationRule.needs

    def check(self, use: ReservationUse, facts: FactValues) -> Results:
        found = facts[Reservation(use.id)]
        if found is None:
            return
        for path, group in use.groups:
            if group.instance_type != found.instance_type:
                yield Fail(
                    message=f"the {use.word} {use.id} is for {found.instance_type}, not "
                    f"{group.instance_type}",
                    path=(*path, "instance_type"),
                    requested=group.instance_type,
                    limit=found.instance_type,
                    where=use.id,
                )
