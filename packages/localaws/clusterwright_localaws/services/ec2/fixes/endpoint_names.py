"""moto's names of interface endpoints begin with the service; AWS's end with the Region.

https://docs.aws.amazon.com/vpc/latest/privatelink/privatelink-access-aws-services.html
"""

from __future__ import annotations

from typing import Any, Final

from clusterwright_localaws.core.runtime import runtime

MOTO_VERSION = "5.2.5"
DESCRIPTION = (
    "EC2: the DNS names of an interface endpoint have AWS's form, "
    "<endpoint>-<suffix>.<service>.<region>.vpce.amazonaws.com"
)
_PREFIX: Final = ("com", "amazonaws")


def apply() -> None:
    from moto.ec2.models import EC2Backend

    create_in_moto = EC2Backend.create_vpc_endpoint

    def create_vpc_endpoint(self: Any, *arguments: Any, **named: Any) -> Any:
        endpoint: Any = create_in_moto(self, *arguments, **named)
        if runtime().active:
            for entry in endpoint.dns_entries or ():
                entry["dns_name"] = _name(entry["dns_name"], endpoint.service_name)
        return endpoint

    EC2Backend.create_vpc_endpoint = create_vpc_endpoint  # type: ignore[method-assign]


def _name(given: str, service: str) -> str:
    parts = service.split(".")
    if tuple(parts[:2]) != _PREFIX or len(parts) < 4:
        return given
    reversed_name = ".".join(reversed(parts[3:]))
    first = given.removesuffix(f".{service}")
    return f"{first}.{reversed_name}.{parts[2]}.vpce.amazonaws.com"
