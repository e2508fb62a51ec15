"""moto's names of interface endpoints begin with the service; AWS's end with the Region.

https://docs.aws.amazon.com/vpc/latest/privatelink/privatelink-access-aws-services.html
"""

from __future__ import annotations

import functools
from typing import Any, Final

from clusterwright_localaws.core.runtime import runtime

MOTO_VERSION = "5.2.5"
DESCRIPTION = (
    "EC2: the DNS names of an interface endpoint have AWS's form, "
    "<endpoint>-<suffix>.<service>.<region>.vpce.amazonaws.com, and there is one for each zone"
)
_PREFIX: Final = ("com", "amazonaws")


def apply() -> None:
    from moto.ec2.models import EC2Backend

    for operation in ("create_vpc_endpoint", "modify_vpc_endpoint"):
        setattr(EC2Backend, operation, _with_names(getattr(EC2Backend, operation), operation))


def _with_names(of_moto: Any, operation: str) -> Any:
    @functools.wraps(of_moto)
    def named(self: Any, *arguments: Any, **given: Any) -> Any:
        found = of_moto(self, *arguments, **given)
        if runtime().active:
            endpoint = found
            if operation == "modify_vpc_endpoint":
                endpoint_id = given.get("vpc_id") or arguments[0]
                endpoint = self.vpc_end_points[endpoint_id]
            endpoint.dns_entries = _entries(self, endpoint)
        return found

    return named


def _entries(backend: Any, endpoint: Any) -> list[dict[str, str]]:
    """Return the regional name, and the zonal names of the zones of the endpoint's subnets."""
    if not endpoint.dns_entries:
        return []
    regional = dict(endpoint.dns_entries[0])
    regional["dns_name"] = _name(regional["dns_name"], endpoint.service_name)
    zones = {
        backend.get_subnet(subnet_id).availability_zone for subnet_id in endpoint.subnet_ids or ()
    }
    first, _, rest = regional["dns_name"].partition(".")
    return [
        regional,
        *({**regional, "dns_name": f"{first}-{zone}.{rest}"} for zone in sorted(zones)),
    ]


def _name(given: str, service: str) -> str:
    parts = service.split(".")
    if given.endswith(".vpce.amazonaws.com"):
        return given
    if tuple(parts[:2]) != _PREFIX or len(parts) < 4:
        return given
    reversed_name = ".".join(reversed(parts[3:]))
    first = given.removesuffix(f".{service}")
    return f"{first}.{reversed_name}.{parts[2]}.vpce.amazonaws.com"
