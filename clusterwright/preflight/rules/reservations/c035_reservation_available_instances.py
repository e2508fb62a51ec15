"""The capacity reservation has enough available instances."""

from __future__ import annotations

from clusterwright.preflight.facts.instances import Instances
from clusterwright.preflight.facts.reservations import Reservation
from clusterwright.preflight.rule import Context, Facts, FactValues, Fail, Results, Unknown
from clusterwright.preflight.rules.compute_groups import largest
from clusterwright.preflight.rules.reservations.reservation_rule import (
    ENDED,
    NONE_NOW,
    NOT_YET,
    ReservationRule,
    ReservationUse,
)


class ReservationAvailableInstances(ReservationRule):
    id = "CW-C035"
    prevents = (
        "RunInstances fails with ReservationCapacityExceeded: other instances use the "
        "reservation, or several groups share it"
    )
    source = (
        "aws/aws-parallelcluster, CapacityReservationSize, which does not count available "
        "instances"
    )

    def needs(self, use: ReservationUse) -> Facts:
        return (Reservation(use.id), Instances())

    def check(self, use: ReservationUse, context: Context, facts: FactValues) -> Results:
        found = facts[Reservation(use.id)]
        if found is None or found.state in (*ENDED, *NONE_NOW):
            return  # CW-C030 and CW-C031 report it
        held = sum(
            instance.reservation_id == use.id and context.instance_is_ours(instance)
            for instance in facts[Instances()]
        )
        # Before a reservation starts, all of its instances are going to be available.
        free = found.total_count if found.state in NOT_YET else found.available_count
        if free is None:
            yield Unknown(
                message=f"the {use.word} {use.id} does not report its available instances"
            )
            return
        available = min(free + held, found.total_count)
        if use.count <= available:
            yield from _growth(use, found.total_count)
            return
        several = f" of {len(use.groups)} groups" if len(use.groups) > 1 else ""
        yield Fail(
            message=f"{use.count} instances{several} from the {use.word} {use.id}, {available} "
            "are "
            "free",
            path=largest(use.groups),
            requested=use.count,
            used=max(0, found.total_count - available),
            limit=found.total_count,
            where=use.id,
            hint=f"count: {available}{' in all' if several else ''}, or another reservation for "
            "the "
            "rest",
        )


def _growth(use: ReservationUse, total: int) -> Results:
    """Later instances may use what others use now, but never more than the total."""
    if use.most > total:
        path, _ = max(use.groups, key=lambda pair: (pair[1].max_count or 0) - pair[1].count)
        yield Fail(
            message=f"{use.most} instances with max_count from the {use.word} {use.id}, which has "
            f"{total}: the other instances could never start",
            path=(*path, "max_count"),
            severity="warning",
            requested=use.most,
            limit=total,
            where=use.id,
            hint=f"max_count: {total}{' in all' if len(use.groups) > 1 else ''}",
        )
