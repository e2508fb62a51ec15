"""The capacity reservation or block has capacity now."""

from __future__ import annotations

from clusterwright.preflight.facts.reservations import Reservation
from clusterwright.preflight.rule import Context, FactValues, Fail, Results, Unknown
from clusterwright.preflight.rules.reservations.reservation_rule import (
    ENDED,
    NONE_NOW,
    NOT_YET,
    ReservationRule,
    ReservationUse,
)


class ReservationState(ReservationRule):
    id = "CW-C031"
    title = "The capacity reservation holds capacity"
    prevents = "RunInstances fails: the reservation has expired, or has not begun"
    source = (
        "EC2 DescribeCapacityReservations, State; aws/aws-parallelcluster #6870, whose validator "
        "looks at no state"
    )

    def check(self, use: ReservationUse, context: Context, facts: FactValues) -> Results:
        found = facts[Reservation(use.id)]
        if found is None or found.state == "active":
            return
        where = context.region
        if found.state in NOT_YET:
            starts = f", it starts on {found.start:%Y-%m-%d %H:%M} UTC" if found.start else ""
            yield Fail(
                message=f"the {use.word} {use.id} is {found.state}{starts}: until then no "
                "instance can be launched into it",
                # Nothing but time stands in the way of it; a payment may never come.
                severity="error" if found.state == "payment-pending" else "warning",
                where=where,
                hint="deploy when it is active, or with count: 0 until then",
            )
        elif found.state in (*ENDED, *NONE_NOW):
            ended = f" since {found.end:%Y-%m-%d %H:%M} UTC" if found.end else ""
            yield Fail(
                message=f"the {use.word} {use.id} is {found.state}{ended}",
                where=where,
                hint="name a reservation that is active",
            )
        else:
            yield Unknown(
                message=f"the {use.word} {use.id} is in a state that is not known here: "
                f"{found.state}"
            )


RULE = ReservationState()
