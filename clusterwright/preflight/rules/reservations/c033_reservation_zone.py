"""The capacity reservation is in the nodes' zone."""

from __future__ import annotations

from clusterwright.preflight.facts.network import Zones
from clusterwright.preflight.facts.reservations import Reservation
from clusterwright.preflight.rule import Context, Facts, FactValues, Fail, Results
from clusterwright.preflight.rules.network.zones import zone_id_of
from clusterwright.preflight.rules.reservations.reservation_rule import (
    ReservationRule,
    ReservationUse,
)


class ReservationZone(ReservationRule):
    id = "CW-C033"
    prevents = "RunInstances fails: the subnet is in another zone than the reservation"
    source = "aws/aws-parallelcluster, CapacityReservation validator"

    def needs(self, use: ReservationUse) -> Facts:
        return (Reservation(use.id), Zones())

    def check(self, use: ReservationUse, context: Context, facts: FactValues) -> Results:
        found = facts[Reservation(use.id)]
        if found is None:
            return
        wanted = context.cluster.network.availability_zone_id
        zones = facts[Zones()]
        # Zone names differ between accounts: Zones() maps those of this account to ids.
        zone_id = found.zone_id or zone_id_of(found.zone, zones)
        if zone_id != zone_id_of(wanted, zones):
            yield Fail(
                message=f"the {use.word} {use.id} is in {zone_id}, the nodes are in {wanted}",
                requested=wanted,
                limit=zone_id,
                where=use.id,
                hint=f"availability_zone_id: {zone_id}, if nothing is deployed in {wanted} yet",
            )
