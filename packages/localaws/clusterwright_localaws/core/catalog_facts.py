"""Facts from the catalogue; the only module that imports the catalogue."""

from __future__ import annotations

import functools
from decimal import Decimal
from typing import Any

from clusterwright_localaws.worlds.model import World

ML_PREFIX = "ml."


@functools.cache
def catalog() -> Any:
    """Return the built-in catalogue, loaded at the first call."""
    from clusterwright.catalog import load_catalog

    return load_catalog()


def known(fact: Any) -> Any | None:
    """Return the value of a fact, or `None` where no source states it."""
    from clusterwright.catalog import Known

    return fact.value if isinstance(fact, Known) else None


def addresses_per_node(instance_type: str, platform: str) -> int:
    """Return the addresses that one HyperPod node uses; 1 where the type is unknown.

    `instance_type` is EC2's name. Types that the catalogue does not describe are small general
    instances, which have one interface with one address in use.
    """
    value = known(catalog().addresses_per_node(instance_type, platform))
    return 1 if value is None else int(value)


def quota_code(instance_type: str, use: str) -> str | None:
    """Return the code of a type's quota for a use (EC2's name), or `None` where it is unknown."""
    described = known(catalog().quota_for(instance_type, use))
    return None if described is None else described.code


def vcpus_of(instance_type: str) -> int | None:
    """Return the vCPUs of a type (EC2's name), or `None` where they are unknown."""
    found = catalog().instance(instance_type)
    return None if found is None else known(found.vcpus)


def efa_interfaces_of(instance_type: str) -> int:
    """Return the EFA interfaces of a type (EC2's name); 0 where they are unknown."""
    found = catalog().instance(instance_type)
    return 0 if found is None else int(known(found.efa_interfaces) or 0)


def offered_in(world: World, instance_type: str, region: str, zone_id: str) -> bool | None:
    """Return whether a zone offers a type (EC2's name): the world's answer, then the catalogue's.

    `None` where the catalogue does not know the type's offerings; the local AWS then accepts it.
    """
    if zone_id in world.not_offered.get(instance_type, ()):
        return False
    zones = known(catalog().offering(instance_type, region))
    if zones is None:
        return None
    # Sources list some types that local zones have, and none that they lack.
    return True if zone_id in zones else None if catalog().local_zone(zone_id) else False


def zones_with(world: World, instance_type: str, region: str) -> list[str]:
    """Return the zone ids of a region that offer a type, sorted; empty where unknown."""
    zones = known(catalog().offering(instance_type, region)) or ()
    without = world.not_offered.get(instance_type, ())
    # The catalogue lists a local zone by its name and by its id.
    return sorted(
        zone for zone in zones if zone not in without and catalog().local_zone(zone) != zone
    )


@functools.cache
def ultra_server(instance_type: str) -> tuple[str, int] | None:
    """Return SageMaker's name and the instance count of a type's UltraServer (EC2's name)."""
    for found in catalog().ultraservers.values():
        name, count = known(found.hyperpod_name), known(found.instance_count)
        if known(found.instance_type) == instance_type and name and count:
            return str(name), int(count)
    return None


def ec2_name(instance_type: str) -> str:
    return instance_type.removeprefix(ML_PREFIX)


def instance_price_usd(instance_type: str, region: str, kind: str) -> Decimal | None:
    """Return USD per instance-hour from the catalogue, or `None` where no source states it."""
    price = known(catalog().instance_price(instance_type, region, kind))
    return None if price is None else price.usd
