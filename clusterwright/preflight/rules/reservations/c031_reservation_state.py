"""The capacity reservation is active."""

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
    prevents = "RunInstances fails: the reservation has expired or has not started"
    source = (
        "EC2 DescribeCapacityReservations, State; aws/aws-parallelcluster #6870, whose "
        "validator does not check the state"
    )
    needs = ReservationRule.needs

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
                # The others become active with time; a payment may never arrive.
                severity="error" if found.state == "payment-pending" else "warning",
                where=where,
                hint="deploy when it is active, or with count: 0 until then",
            )
        elif found.state in (*ENDED, *NONE_NOW):
            ended = f" since {found.end:%Y-%m-%d %H:%M} UTC" if found.end else ""
            yield Fail(
                message=f"the {use.word} {use.id} is {found.state}{ended}",
                where=where,
                hint="use an active reservation",
            )
        else:
            yield Unknown(message=f"the {use.word} {use.id} has an unknown state: {found.state}")
