"""The capacity reservation exists and is of the kind in the spec."""

from __future__ import annotations

from clusterwright.preflight.facts.reservations import Reservation
from clusterwright.preflight.rule import Context, FactValues, Fail, Results
from clusterwright.preflight.rules.reservations.reservation_rule import (
    ReservationRule,
    ReservationUse,
)


class ReservationExists(ReservationRule):
    id = "CW-C030"
    prevents = (
        "RunInstances fails: the reservation is not found; or instances of a capacity block are "
        "launched as on-demand instances and refused"
    )
    source = (
        "EC2 DescribeCapacityReservations; aws/aws-parallelcluster, CapacityReservation validator"
    )
    needs = ReservationRule.needs

    def check(self, use: ReservationUse, context: Context, facts: FactValues) -> Results:
        found = facts[Reservation(use.id)]
        if found is None:
            yield Fail(
                message=f"there is no {use.word} {use.id} in {context.region} for this account",
                requested=use.id,
                where=context.region,
                hint="a reservation of another account must be shared with this one",
            )
            return
        is_block = found.kind == "capacity-block"
        for path, group in use.groups:
            if (group.capacity.kind == "capacity-block") != is_block:
                kind = "capacity-block" if is_block else "reservation"
                yield Fail(
                    message=f"{use.id} is a {kind.replace('-', ' ')}, `{group.name}` has kind "
                    f"{group.capacity.kind}",
                    path=(*path, "capacity", "kind"),
                    requested=group.capacity.kind,
                    limit=kind,
                    where=use.id,
                    hint=f"kind: {kind}",
                )
            elif group.is_interruptible != found.interruptible:
                is_, stated = ("is", "false") if found.interruptible else ("is not", "true")
                yield Fail(
                    message=f"{use.id} {is_} interruptible, `{group.name}` has "
                    f"`interruptible: {stated}`: EC2 refuses to launch into it",
                    path=(*path, "capacity", "interruptible"),
                    requested=group.is_interruptible,
                    limit=found.interruptible,
                    where=use.id,
                    hint=f"interruptible: {str(found.interruptible).lower()}",
                )
