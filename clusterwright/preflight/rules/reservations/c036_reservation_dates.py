"""The capacity reservations last as long as the run."""

from __future__ import annotations

import datetime as dt

from clusterwright.catalog import Known
from clusterwright.preflight.facts.reservations import Reservation
from clusterwright.preflight.rule import Context, FactValues, Fail, Results, Subjects
from clusterwright.preflight.rules.reservations.reservation_rule import (
    ENDED,
    ReservationRule,
    ReservationUse,
)
from clusterwright.preflight.rules.run_window import run_start


class ReservationDates(ReservationRule):
    id = "CW-C036"
    severity = "warning"
    prevents = (
        "EC2 terminates the instances of a capacity block half an hour before its end, "
        "during the run"
    )
    source = "AWS documentation, Capacity Blocks for ML"
    needs = ReservationRule.needs

    def subjects(self, context: Context) -> Subjects[ReservationUse]:
        return super().subjects(context) if context.cluster.run is not None else ()

    def check(self, use: ReservationUse, context: Context, facts: FactValues) -> Results:
        run = context.cluster.run
        assert run is not None
        found = facts[Reservation(use.id)]
        # Without an end it lasts until it is cancelled.
        if found is None or found.end is None or found.state in ENDED:
            return
        lost = dt.timedelta()
        if found.kind == "capacity-block":
            early = context.catalog.limit("capacity_block.ends_before_minutes")
            lost = dt.timedelta(minutes=early.value if isinstance(early, Known) else 0)
        now = run_start(context)
        begin = max(found.start or now, now)
        hours = max(0.0, (found.end - lost - begin) / dt.timedelta(hours=1))
        if hours >= run.hours:
            return
        block = found.kind == "capacity-block"
        yield Fail(
            message=f"the run takes {run.hours:g} hours, the {use.word} {use.id} provides "
            f"{hours:.0f} until {found.end:%Y-%m-%d %H:%M} UTC",
            requested=run.hours,
            limit=round(hours),
            where=use.id,
            hint="extend the block before it ends, or resume from a checkpoint"
            if block
            else "change the reservation's end, or resume from a checkpoint",
        )
