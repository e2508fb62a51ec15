"""What a closed network that exists must have, as the catalogue of endpoints says."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar

from clusterwright.cluster_spec.models.network import ExistingNetwork
from clusterwright.platforms.endpoints import INTERFACE_SERVICES, Service
from clusterwright.preflight.context import Context
from clusterwright.preflight.facts.fact import Fact
from clusterwright.preflight.facts.network import Subnets
from clusterwright.preflight.facts.routes import Endpoints, RouteTables
from clusterwright.preflight.rule import Subject
from clusterwright.preflight.rules.network.existing_network import ExistingNetworkRule


class WayOutRule(ExistingNetworkRule):
    """A rule about how the nodes of a network that exists reach AWS."""

    more: ClassVar[tuple[Fact[Any], ...]] = ()

    def needs(self, subject: Subject[ExistingNetwork], context: Context) -> Iterable[Fact[Any]]:
        del subject, context
        return (Subnets(), RouteTables(), Endpoints(), *self.more)


def services_used(context: Context) -> list[Service]:
    """Services that nodes call through interface endpoints, where there is no other way."""
    return [service for service in INTERFACE_SERVICES if service.used(context.cluster)]
