"""Indications: another price of the same place, with the name of what it is."""

from __future__ import annotations

from decimal import Decimal

import pytest

from clusterwright.catalog import load_catalog
from clusterwright.cost.components.volumes import EBS_VOLUME
from clusterwright.cost.indications import instance_indication, volume_indication
from clusterwright.cost.line_builder import Item
from clusterwright.cost.price_book import PriceBook

BOOK = PriceBook(load_catalog())


@pytest.mark.parametrize(
    ("instance_type", "place", "capacity", "hyperpod", "usd", "basis"),
    [
        ("p5.48xlarge", "us-west-2", "on-demand", True, "55.04",
         "EC2's on-demand price, not HyperPod's"),
        ("p5.48xlarge", "eu-north-1", "spot", True, "58.8928",
         "EC2's on-demand price, not the Spot price"),
        ("p5.48xlarge", "us-east-1", "training-plan", True, "45.7675",
         "SageMaker's training plan offer, not your plan's"),
        ("p5.48xlarge", "us-east-2", "capacity-block", False, None,
         "EC2's Capacity Block price, not your block's"),
        ("trn2.48xlarge", "us-east-2", "on-demand", False, None,
         "EC2's Capacity Block price, not the on-demand price"),
    ],
)  # fmt: skip
def test_the_nearest_price_of_the_place_is_named(
    instance_type: str, place: str, capacity: str, hyperpod: bool, usd: str | None, basis: str
) -> None:
    found = instance_indication(BOOK, instance_type, place, capacity, hyperpod=hyperpod)
    assert found is not None
    assert found.basis == basis
    assert found.usd == Decimal(usd) if usd is not None else found.usd > 20
    assert found.source
    assert found.date


def test_prices_of_other_regions_are_not_used() -> None:
    here = instance_indication(BOOK, "trn1.32xlarge", "us-east-1", "on-demand", hyperpod=True)
    assert here is not None
    there = instance_indication(
        BOOK, "trn1.32xlarge", "ap-northeast-1", "on-demand", hyperpod=True
    )
    assert there is None


def test_an_instance_of_an_ultraserver_is_its_share() -> None:
    found = instance_indication(
        BOOK, "p6e-gb200.36xlarge", "us-east-1-dfw-2a", "training-plan", hyperpod=True
    )
    assert found is not None
    # 380.952 USD for u-p6e-gb200x36 with 9 instances.
    assert found.usd == Decimal("380.952") / 9
    assert "divided by its 9 instances" in found.source


def test_volumes_of_hyperpod_have_the_price_of_ec2() -> None:
    found = volume_indication(BOOK, EBS_VOLUME, "us-east-1")
    assert found is not None
    assert (found.basis, found.usd) == ("EC2's gp3 price, not HyperPod's", Decimal("0.08"))
    assert volume_indication(BOOK, EBS_VOLUME, "us-east-2") is None
    assert volume_indication(BOOK, Item("ebs", "gp3 storage", "TB-month"), "us-east-1") is None
