"""The instances of an UltraServer's capacity block are connected with each other."""

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
    title = "The UltraServer of a capacity block is whole"
    prevents = "jobs that hang: some of an UltraServer's instances are not connected"
    source = (
        "EC2 DescribeCapacityBlockStatus, InterconnectStatus; aws/aws-parallelcluster, "
        "CapacityBlockHealthStatus"
    )

    def subjects(self, context: Context) -> Subjects[ReservationUse]:
        for subject in super().subjects(context):
            types = {group.instance_type for _, group in subject.value.groups}
            block = subject.value.kind == "capacity-block"
            if block and any(ultraserver_sizes(context, name) for name in types):
                yield subject

    def needs(self, use: ReservationUse) -> Facts:
        return (Reservation(use.id), BlockStatuses())

    def check(self, use: ReservationUse, facts: FactValues) -> Results:
        found = facts[Reservation(use.id)]
        if found is None or found.state in (*ENDED, *NOT_YET):
            return
        status = next((s for s in facts[BlockStatuses()] if s.id == found.block_id), None)
        if status is None:
            yield Unknown(message=f"EC2 gives no status of the capacity block of {use.id}")
        elif status.interconnect == "insufficient-data":
            yield Unknown(
                message=f"EC2 does not know yet how the instances of {use.id} are connected"
            )
        elif status.interconnect != "ok":
            yield Fail(
                message=f"the capacity block {status.id} is connected "
                f"{status.interconnect or 'in a way that EC2 does not name'}, not ok",
                where=use.id,
                hint="let AWS support look at it before jobs are placed on it",
            )
        elif status.unavailable is None:
            yield Unknown(message=f"EC2 does not say how much of {status.id} can be used")
        elif status.unavailable:
            total = status.total if status.total is not None else "the"
            yield Fail(
                message=f"{status.unavailable} of {total} instances of the capacity block "
                f"{status.id} cannot be used",
                severity="warning",
                requested=status.total,
                used=status.unavailable,
                where=use.id,
            )


RULE = BlockInterconnect()
