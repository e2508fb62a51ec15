"""The instances of an UltraServer's capacity block are interconnected."""

from __future__ import annotations

from clusterwright.preflight.facts.reservations import BlockStatuses, Reservation
from clusterwright.preflight.rule import (
    Context,
    Facts,
    FactValues,
    Fail,
    Results,
    Subjects,
    Unknown,
)
from clusterwright.preflight.rules.compute_groups import ultraserver_sizes
from clusterwright.preflight.rules.reservations.reservation_rule import (
    ENDED,
    NOT_YET,
    ReservationRule,
    ReservationUse,
)


class BlockInterconnect(ReservationRule):
    id = "CW-C039"
    prevents = "jobs that hang: some of an UltraServer's instances are not connected"
    source = (
        "EC2 DescribeCapacityBlockStatus, InterconnectStatus; aws/aws-parallelcluster, "
        "CapacityBlockHealthStatus"
    )

    def subjects(self, context: Context) -> Subjects[ReservationUse]:
        for path, use in super().subjects(context):
            types = {group.instance_type for _, group in use.groups}
            block = use.kind == "capacity-block"
            if block and any(ultraserver_sizes(context, name) for name in types):
                yield path, use

    def needs(self, use: ReservationUse) -> Facts:
        return (Reservation(use.id), BlockStatuses())

    def check(self, use: ReservationUse, facts: FactValues) -> Results:
        found = facts[Reservation(use.id)]
        if found is None or found.state in (*ENDED, *NOT_YET):
            return
        status = next((s for s in facts[BlockStatuses()] if s.id == found.block_id), None)
        if status is None:
            yield Unknown(message=f"EC2 reports no status of the capacity block of {use.id}")
        elif status.interconnect == "insufficient-data":
            yield Unknown(message=f"EC2 has insufficient data about the interconnect of {use.id}")
        elif status.interconnect != "ok":
            yield Fail(
                message=f"the capacity block {status.id} has interconnect status "
                f"{status.interconnect or '(none)'}, not ok",
                where=use.id,
                hint="contact AWS Support before running jobs on it",
            )
        elif status.unavailable is None:
            yield Unknown(
                message=f"EC2 does not report how many instances of {status.id} are available"
            )
        elif status.unavailable:
            total = status.total if status.total is not None else "the"
            yield Fail(
                message=f"{status.unavailable} of {total} instances of the capacity block "
                f"{status.id} are unavailable",
                severity="warning",
                requested=status.total,
                used=status.unavailable,
                where=use.id,
            )
