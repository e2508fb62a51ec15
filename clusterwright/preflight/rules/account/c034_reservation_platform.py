"""The capacity reservation or block is for Linux on shared hardware, as the nodes are."""

from __future__ import annotations

from collections.abc import Iterator

from clusterwright.preflight.context import Context
from clusterwright.preflight.facts.fact import FactValues
from clusterwright.preflight.facts.reservations import Reservation
from clusterwright.preflight.reserved import ReservationRule, ReservationUse
from clusterwright.preflight.rule import Fail, Subject, Unsure, Verdict

PLATFORM, TENANCY = "Linux/UNIX", "default"


class ReservationPlatform(ReservationRule):
    id = "CW-C034"
    title = "The capacity reservation is for the nodes' operating system and tenancy"
    prevents = (
        "RunInstances fails, or ordinary instances run beside a reservation that is paid for and "
        "never used: platform and tenancy must match"
    )
    source = (
        "EC2 CreateCapacityReservation, InstancePlatform and Tenancy; aws/aws-parallelcluster, "
        "CapacityReservation validator"
    )

    def check(
        self, subject: Subject[ReservationUse], context: Context, facts: FactValues
    ) -> Iterator[Verdict]:
        del context
        use = subject.value
        found = facts[Reservation(use.id)]
        if found is None:
            return
        if not found.platform:
            yield Unsure(message=f"the {use.word} {use.id} names no platform")
        for what, has, wanted in (
            ("platform", found.platform or PLATFORM, PLATFORM),
            ("tenancy", found.tenancy, TENANCY),
        ):
            if has != wanted:
                yield Fail(
                    message=f"the {use.word} {use.id} has {what} {has}, the nodes {wanted}",
                    requested=wanted,
                    limit=has,
                    where=use.id,
                    hint="it cannot be changed: it takes another reservation",
                )


RULE = ReservationPlatform()
