"""moto's NAT gateways and interface endpoints are available at once and deleted at once.

States: https://docs.aws.amazon.com/vpc/latest/userguide/nat-gateway-basics.html#nat-gateway-states
https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_VpcEndpoint.html
"""

from __future__ import annotations

from typing import Any

from clusterwright_localaws.core.runtime import runtime
from clusterwright_localaws.core.timers import timers

MOTO_VERSION = "5.2.5"
DESCRIPTION = (
    "EC2: NAT gateways and interface endpoints are pending before they are available, and "
    "deleting before they are deleted, for the world's delays"
)


def apply() -> None:
    _nat_gateways()
    _endpoints()


def _nat_gateways() -> None:
    from moto.ec2.exceptions import EC2ClientError
    from moto.ec2.models import EC2Backend

    create_in_moto = EC2Backend.create_nat_gateway
    delete_in_moto = EC2Backend.delete_nat_gateway

    def create_nat_gateway(self: Any, *arguments: Any, **named: Any) -> Any:
        gateway = create_in_moto(self, *arguments, **named)
        if runtime().active:
            gateway.state = "pending"
            _becomes_available(gateway, runtime().world.delays.nat_gateway)
        return gateway

    def delete_nat_gateway(self: Any, nat_gateway_id: str) -> Any:
        if not runtime().active:
            return delete_in_moto(self, nat_gateway_id)
        gateway = self.nat_gateways.get(nat_gateway_id)
        if gateway is None or gateway.state == "deleted":
            raise EC2ClientError(
                "NatGatewayNotFound", f"The Nat Gateway {nat_gateway_id} was not found"
            )
        if gateway.state != "deleting":
            gateway.state = "deleting"
            timers().after(
                runtime().world.delays.nat_gateway, lambda: delete_in_moto(self, nat_gateway_id)
            )
        return gateway

    EC2Backend.create_nat_gateway = create_nat_gateway  # type: ignore[method-assign]
    EC2Backend.delete_nat_gateway = delete_nat_gateway  # type: ignore[method-assign]


def _endpoints() -> None:
    from moto.ec2.models import EC2Backend

    create_in_moto = EC2Backend.create_vpc_endpoint
    delete_in_moto = EC2Backend.delete_vpc_endpoints

    def create_vpc_endpoint(self: Any, *arguments: Any, **named: Any) -> Any:
        endpoint = create_in_moto(self, *arguments, **named)
        if runtime().active and _is_interface(endpoint):
            endpoint.state = "pending"
            _becomes_available(endpoint, runtime().world.delays.endpoint)
        return endpoint

    def delete_vpc_endpoints(self: Any, vpce_ids: list[str] | None = None) -> None:
        if not runtime().active:
            delete_in_moto(self, vpce_ids)
            return
        for endpoint_id in vpce_ids or []:
            endpoint = self.vpc_end_points.get(endpoint_id)
            if endpoint is None or endpoint.state in ("deleting", "deleted"):
                continue
            if not _is_interface(endpoint):
                delete_in_moto(self, [endpoint_id])
                continue
            endpoint.state = "deleting"
            timers().after(
                runtime().world.delays.endpoint,
                lambda gone=endpoint_id: delete_in_moto(self, [gone]),  # type: ignore[misc]
            )

    EC2Backend.create_vpc_endpoint = create_vpc_endpoint  # type: ignore[method-assign]
    EC2Backend.delete_vpc_endpoints = delete_vpc_endpoints  # type: ignore[method-assign]


def _is_interface(endpoint: Any) -> bool:
    return (endpoint.vpc_endpoint_type or "").lower() == "interface"


def _becomes_available(resource: Any, seconds: float) -> None:
    def available() -> None:
        if resource.state == "pending":
            resource.state = "available"

    timers().after(seconds, available)
