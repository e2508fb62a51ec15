"""Names of endpoint services: which exist, and which types of endpoints they have.

https://docs.aws.amazon.com/vpc/latest/privatelink/aws-services-privatelink-support.html
https://docs.aws.amazon.com/vpc/latest/privatelink/gateway-endpoints.html
"""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping
from typing import Final

from clusterwright_localaws.core.service_models import loader

GATEWAY: Final = "Gateway"
INTERFACE: Final = "Interface"
_AWS: Final = re.compile(
    r"(?:cn\.)?com\.amazonaws\.(?P<region>[a-z]{2}(?:-[a-z]+)+-\d+)\.(?P<name>.+)"
)
_PROVIDER: Final = re.compile(
    r"(?:cn\.)?com\.amazonaws\.vpce\.(?P<region>[a-z0-9-]+)\.vpce-svc-[0-9a-f]+"
)
_GLOBAL: Final = re.compile(r"(?:cn\.)?com\.amazonaws\.(?P<name>[^.]*)")
# Of the names in the AWS CDK (InterfaceVpcEndpointAwsService), those of no API model.
_UNMODELLED: Final = frozenset(
    {"apptest", "arsenal-discovery", "dicom-medical-imaging", "launchwizard", "mail-manager"}
    | {"networkflowmonitorreports", "panorama", "q", "qldb", "robomaker", "service", "sms"}
    | {"social-messaging"}
)
_FIPS: Final = "-fips"
# DynamoDB has had both since 2024; moto's list has gateways only. S3 Express has gateways only.
_TYPES: Final[Mapping[str, tuple[str, ...]]] = {
    "s3": (GATEWAY, INTERFACE),
    "dynamodb": (GATEWAY, INTERFACE),
    "s3express": (GATEWAY,),
}


def exists(name: str, region: str, service_region: str | None = None) -> bool | None:
    """Return whether an endpoint service exists; None where nothing here can say.

    A name of AWS's form whose service is none that AWS's API models know does not exist.

    Parameters
    ----------
    service_region:
        The Region of the service, if the request names one.
    """
    provider = _PROVIDER.fullmatch(name)
    if provider is not None:
        return None if provider["region"] == (service_region or region) else False
    found = _AWS.fullmatch(name)
    if found is None:
        everywhere = _GLOBAL.fullmatch(name)
        return None if everywhere is None or _is_of_a_service(everywhere["name"]) else False
    if found["region"] != (service_region or region):
        return False
    if found["name"].removesuffix(_FIPS) in _listed():
        return True
    return None if _is_of_a_service(found["name"]) else False


def types_of(name: str, region: str) -> tuple[str, ...]:
    """Return the types of endpoints that a service of AWS has; empty where they are unknown."""
    found = _AWS.fullmatch(name)
    if found is None:
        return ()
    short = found["name"].removesuffix(_FIPS)
    return _TYPES.get(short) or ((INTERFACE,) if short in _listed() else ())


def domain_of(name: str) -> str:
    """Return the public domain of a service of AWS: `api.ecr.us-east-1.amazonaws.com`."""
    found = _AWS.fullmatch(name)
    if found is None:
        return name
    first = ".".join(reversed(found["name"].split(".")))
    return f"{first}.{found['region']}.amazonaws.com"


@functools.cache
def _listed() -> frozenset[str]:
    """Return the services that moto's copy of AWS's list has."""
    from moto.ec2.models.vpcs import AWS_ENDPOINT_SERVICES

    return frozenset(name.removesuffix(_FIPS) for name in AWS_ENDPOINT_SERVICES)


@functools.cache
def _words() -> frozenset[str]:
    """Return the names of AWS's services: those of models, of endpoints and of signatures."""
    found = set(loader().list_available_services("service-2")) | _UNMODELLED
    for partition in loader().load_data("endpoints")["partitions"]:
        found |= set(partition["services"])
    found |= {name.split(".")[0] for name in _listed()}
    return frozenset(word for name in found for word in (name, *name.split(".")))


def _is_of_a_service(name: str) -> bool:
    """Return whether a name begins with that of a service: `eks-auth`, `bedrock-x.y`."""
    parts = name.partition(".")[0].split("-")
    return any("-".join(parts[:end]) in _words() for end in range(1, len(parts) + 1))
