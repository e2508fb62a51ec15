"""The capacity reservation or block has enough free instances for all its groups together."""

from __future__ import annotations

from clusterwright.preflight.facts.instances import Instances
from clusterwright.preflight.facts.reservations import Reservation
from clusterwright.preflight.rule import (
    Context,
    Facts,
    FactValues,
    Fail,
    Results,
    Unknown,
)
from clusterwright.preflight.rules.compute_groups import largest
from clusterwright.preflight.rules.reservations.reservation_rule import (
    ENDED,
    NONE_NOW,
    NOT_YET,
    ReservationRule,
    ReservationUse,
)


class ReservationFree(ReservationRule):
    id = "CW-C035"
    title = "The capacity reservation has enough free instances"
    prevents = (
        "RunInstances fails with ReservationCapacityExceeded: others use the reservation, or "
        "several groups draw from it"
    )
    source = "aws/aws-parallelcluster, CapacityReservationSize, which counts no free instances"

    def needs(self, use: ReservationUse) -> Facts:
        return (Reservation(use.id), Instances())

    def check(self, use: ReservationUse, context: Context, facts: FactValues) -> Results:
        found = facts[Reservation(use.id)]
        if found is None or found.state in (*ENDED, *NONE_NOW):
            return  # CW-C030 and CW-C031 say so
        held = sum(
            one.reservation_id == use.id and context.instance_is_ours(one)
            for one in facts[Instances()]
        )
        # Before it starts nothing is available, but all of it will be.
        free = found.total_count if found.state in NOT_YET else found.available_count
        if free is None:
            yield Unknown(message=f"the {use.word} {use.id} does not say what is free")
            return
        room = min(free + held, found.total_count)
        if use.count <= room:
            yield from _growth(use, found.total_count)
            return
        several = f" of {len(use.groups)} groups" if len(use.groups) > 1 else ""
        yield Fail(
            message=f"{use.count} instances{several} from the {use.word} {use.id}, {room} are "
            "free",
            path=largest(use.groups),
            requested=use.count,
            used=max(0, found.total_count - room),
            limit=found.total_count,
            where=use.id,
            hint=f"count: {room}{' in all' if several else ''}, or another reservation for the "
            "rest",
        )


def _growth(use: ReservationUse, total: int) -> Results:
    """What comes later may find what others use now free, but never more than there is."""
    if use.most > total:
        path, _ = max(use.groups, key=lambda one: (one[1].max_count or 0) - one[1].count)
        yield Fail(
            message=f"{use.most} instances with max_count from the {use.word} {use.id}, which has "
            f"{total}: the rest could never start",
            path=(*path, "max_count"),
            severity="warning",
            requested=use.most,
            limit=total,
            where=use.id,
            hint=f"max_count: {total}{' in all' if len(use.groups) > 1 else ''}",
        )


RULE = ReservationFree()
