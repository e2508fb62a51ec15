"""The capacity reservation matches the nodes' operating system and tenancy."""

from __future__ import annotations

from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.platforms.parallelcluster.limits import RESERVATION_PLATFORMS
from clusterwright.preflight.facts.reservations import Reservation
from clusterwright.preflight.rule import Context, FactValues, Fail, Results, Unknown
from clusterwright.preflight.rules.reservations.reservation_rule import (
    ReservationRule,
    ReservationUse,
)

PLATFORM, TENANCY = "Linux/UNIX", "default"


class ReservationPlatform(ReservationRule):
    id = "CW-C034"
    prevents = (
        "RunInstances fails, or on-demand instances run while the reservation is paid for "
        "and unused: platform and tenancy must match"
    )
    source = (
        "EC2 CreateCapacityReservation, InstancePlatform and Tenancy; aws/aws-parallelcluster, "
        "CapacityReservation validator"
    )
    needs = ReservationRule.needs

    def check(self, use: ReservationUse, context: Context, facts: FactValues) -> Results:
        found = facts[Reservation(use.id)]
        if found is None:
            return
        wanted_platform = _platform(context.cluster)
        if not found.platform:
            yield Unknown(message=f"the {use.word} {use.id} has no platform")
        for what, has, wanted in (
            ("platform", found.platform or wanted_platform, wanted_platform),
            ("tenancy", found.tenancy, TENANCY),
        ):
            if has != wanted:
                yield Fail(
                    message=f"the {use.word} {use.id} has {what} {has}, the nodes have {wanted}",
                    requested=wanted,
                    limit=has,
                    where=use.id,
                    hint="it cannot be changed: use another reservation",
                )


def _platform(cluster: Cluster) -> str:
    """The operating system of the nodes' image, as EC2 names it."""
    if "parallelcluster" not in cluster.traits.sections:
        return PLATFORM
    return RESERVATION_PLATFORMS.get(cluster.parallelcluster.os, PLATFORM)
