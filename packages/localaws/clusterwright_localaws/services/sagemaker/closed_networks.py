"""Nodes in a closed network of the world fetch no lifecycle scripts without an egress path to S3.

Only networks of the world are checked (`subnets[].closed`): the egress paths of other VPCs are not
known.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from clusterwright_localaws.core.runtime import runtime
from clusterwright_localaws.services.ec2.account_settings import blocks_egress, settings_in
from clusterwright_localaws.services.ec2.network import Network


def reaches_s3(network: Network, subnets: Iterable[Any], closed: Iterable[str]) -> bool:
    """Return whether each of these subnets (moto's) has an egress path to S3; open subnets
    have.
    """
    return all(subnet.id not in set(closed) or _leads(network.ec2, subnet) for subnet in subnets)


def _leads(ec2: Any, subnet: Any) -> bool:
    tables = [t for t in ec2.route_tables.values() if t.vpc_id == subnet.vpc_id]
    own = [t for t in tables if subnet.id in t._associations.values()]
    table = next(iter(own or [t for t in tables if t.main_association_id]), None)
    if table is None:
        return False
    for route in table.routes:
        if route.destination_cidr_block == "0.0.0.0/0" and (
            route.transit_gateway or (route.nat_gateway and not _blocked(ec2, route.nat_gateway))
        ):
            return True
    for endpoint in ec2.vpc_end_points.values():
        if endpoint.vpc_id != subnet.vpc_id or not endpoint.service_name.endswith(".s3"):
            continue
        if endpoint.state == "deleted":
            continue
        gateway = str(endpoint.vpc_endpoint_type or "Gateway").lower() == "gateway"
        if (
            table.id in (endpoint.route_table_ids or ())
            if gateway
            else endpoint.private_dns_enabled
        ):
            return True
    return False


def _blocked(ec2: Any, gateway: Any) -> bool:
    """Return whether VPC Block Public Access stops the connections of a NAT gateway."""
    settings = settings_in(runtime(), ec2.account_id, ec2.region_name)
    return blocks_egress(settings, gateway.vpc_id, gateway.subnet_id)
