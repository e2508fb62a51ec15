"""NAT gateway or interface endpoints, traffic between zones, flow logs."""

from __future__ import annotations

from collections.abc import Iterator

from clusterwright.cost.bill import Line
from clusterwright.cost.line_builder import Item, LineBuilder
from clusterwright.platforms.endpoints import interface_services

NAT = Item("nat_gateway", "hourly", "hour")
NAT_DATA = Item("nat_gateway", "data processed", "GB")
ENDPOINT = Item("vpc_endpoint", "interface endpoint", "hour")
ENDPOINT_DATA = Item("vpc_endpoint", "data processed", "GB")
PUBLIC_ADDRESS = Item("vpc", "public IPv4 address", "hour")
BETWEEN_ZONES = Item("data_transfer", "intra-region between AZs", "GB each direction")


def lines(builder: LineBuilder) -> Iterator[Line]:
    """Lines of the network; an existing network has only the traffic between zones."""
    cluster = builder.cluster
    egress = ("network", "egress")
    if cluster.network.existing is None and cluster.network.egress == "nat":
        yield builder.line("network", "NAT gateway", 1, NAT, path=egress, per="hour")
        yield builder.used("network", "NAT gateway: data", NAT_DATA, path=egress)
        yield builder.line(
            "network", "NAT gateway: public address", 1, PUBLIC_ADDRESS, path=egress, per="hour"
        )
    endpoints = interface_services(cluster)
    if endpoints:
        names = ", ".join(service.name for service in endpoints)
        yield builder.line(
            "network",
            f"interface endpoints: {names}",
            len(endpoints),
            ENDPOINT,
            path=egress,
            per="hour",
        )
        yield builder.used("network", "interface endpoints: data", ENDPOINT_DATA, path=egress)
    accounting = cluster.slurm.accounting
    if accounting.kind == "rds":
        yield builder.used(
            "network",
            "traffic to the accounting database in another zone",
            BETWEEN_ZONES,
            path=("slurm", "accounting"),
        )
