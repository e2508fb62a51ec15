"""Prices that the examples need, from the catalogue; old prices have their source."""

from __future__ import annotations

from typing import Final

from clusterwright.catalog import Known, PriceKind, load_catalog

_CATALOG: Final = load_catalog()


def _usd(instance_type: str, kind: PriceKind) -> float:
    price = _CATALOG.instance_price(instance_type, "us-east-1", kind)
    assert isinstance(price, Known), price
    return float(price.value.usd)


EC2_P5: Final = _usd("p5.48xlarge", "ec2-on-demand")
EC2_P4D: Final = _usd("p4d.24xlarge", "ec2-on-demand")
HYPERPOD_P5: Final = _usd("p5.48xlarge", "hyperpod-on-demand")
HYPERPOD_P4D: Final = _usd("p4d.24xlarge", "hyperpod-on-demand")
P4D_BEFORE_JUNE_2025: Final = 32.7726
"""AWS Price List of May 2025, as archived."""
P4D_SPOT_QUOTE: Final = 16.664
"""us-east-1, 2026-09-19, a public quote; spot prices are not in the catalogue."""
