"""What the local AWS asks the catalogue; the only place here that imports it."""

from __future__ import annotations

import functools
from decimal import Decimal
from typing import Any

from clusterwright_localaws.worlds.model import World

ML_PREFIX = "ml."


@functools.cache
def catalog() -> Any:
    """The built-in catalogue, loaded at the first question."""
    from clusterwright.catalog import load_catalog

    return load_catalog()


def known(fact: Any) -> Any | None:
    """The value of a fact, or `None` where no source states it."""
    from clusterwright.catalog import Known

    return fact.value if isinstance(fact, Known) else None


def addresses_per_node(instance_type: str, platform: str) -> int:
    """Addresses that one HyperPod node takes; 1 where nothing is known of the type.

    `instance_type` is EC2's name. Types that the catalogue does not describe are small general
    instances, which have one interface with one address in use.
    """
    value = known(catalog().addresses_per_node(instance_type, platform))
    return 1 if value is None else int(value)


def offered_in(world: World, instance_type: str, region: str, zone_id: str) -> bool | None:
    """Whether a zone has a type (EC2's name): the world's word, then the catalogue's.

    `None` where the catalogue does not know the type's offerings: AWS then decides, and the local
    AWS lets it pass.
    """
    if zone_id in world.not_offered.get(instance_type, ()):
        return False
    zones = known(catalog().offering(instance_type, region))
    if zones is None:
        return None
    # No source lists what local zones lack, only some of what they have.
    return True if zone_id in zones else None if catalog().local_zone(zone_id) else False


def zones_with(world: World, instance_type: str, region: str) -> list[str]:
    """The zone ids of a region that have a type, sorted; empty where unknown."""
    zones = known(catalog().offering(instance_type, region)) or ()
    without = world.not_offered.get(instance_type, ())
    # The catalogue lists a local zone by its name and by its id.
    return sorted(
        zone for zone in zones if zone not in without and catalog().local_zone(zone) != zone
    )


@functools.cache
def ultra_server(instance_type: str) -> tuple[str, int] | None:
    """SageMaker's name of the UltraServer that a type (EC2's name) comes in, and its instances."""
    for found in catalog().ultraservers.values():
        name, count = known(found.hyperpod_name), known(found.instance_count)
        if known(found.instance_type) == instance_type and name and count:
            return str(name), int(count)
    return None


def ec2_name(instance_type: str) -> str:
    return instance_type.removeprefix(ML_PREFIX)


def instance_price_usd(instance_type: str, region: str, kind: str) -> Decimal | None:
    """USD per instance-hour from the catalogue, or `None` where no source states it."""
    price = known(catalog().instance_price(instance_type, region, kind))
    return None if price is None else price.usd
