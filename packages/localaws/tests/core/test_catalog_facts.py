"""Facts of the catalogue, with the changes of a world."""

from __future__ import annotations

from decimal import Decimal

import pytest

from clusterwright_localaws.core import catalog_facts
from clusterwright_localaws.worlds.model import World

P5 = "p5.48xlarge"


def test_addresses_of_a_node() -> None:
    assert catalog_facts.addresses_per_node(P5, "hyperpod-slurm") == 32
    assert catalog_facts.addresses_per_node("x1.unknown", "hyperpod-slurm") == 1


def test_a_zone_offers_what_the_catalogue_lists_unless_the_world_removes_it() -> None:
    zones = catalog_facts.zones_with(World(), P5, "us-east-1")
    assert zones == sorted(zones)
    zone = zones[0]
    assert catalog_facts.offered_in(World(), P5, "us-east-1", zone) is True
    without = World(not_offered={P5: [zone]})
    assert catalog_facts.offered_in(without, P5, "us-east-1", zone) is False
    assert catalog_facts.zones_with(without, P5, "us-east-1") == zones[1:]


def test_what_the_catalogue_does_not_know_is_left_open() -> None:
    assert catalog_facts.offered_in(World(), "x1.unknown", "us-east-1", "use1-az1") is None
    assert catalog_facts.zones_with(World(), "x1.unknown", "us-east-1") == []
    assert catalog_facts.instance_price_usd("x1.unknown", "us-east-1", "on-demand") is None


def test_a_zone_that_the_catalogue_does_not_list_does_not_offer_the_type() -> None:
    assert catalog_facts.offered_in(World(), P5, "us-east-1", "use1-az99") is False


def test_prices_are_decimal() -> None:
    price = catalog_facts.instance_price_usd(P5, "us-east-1", "training-plan-offer")
    assert isinstance(price, Decimal)
    assert price > 0


@pytest.mark.parametrize(
    ("name", "expected"), [("ml.p5.48xlarge", P5), (P5, P5), ("ml.ml.x", "ml.x")]
)
def test_ec2s_name_of_a_type(name: str, expected: str) -> None:
    assert catalog_facts.ec2_name(name) == expected


def test_ultraservers_have_a_name_and_a_number_of_instances() -> None:
    assert catalog_facts.ultra_server(P5) is None
    name, count = catalog_facts.ultra_server("p6e-gb200.36xlarge") or ("", 0)
    assert name.startswith("ml.u-p6e-gb200x")
    assert count > 1
