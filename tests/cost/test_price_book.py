"""Precedence of prices: user, AWS, catalogue."""

from __future__ import annotations

from decimal import Decimal

from clusterwright.catalog import Known, Price, load_catalog
from clusterwright.cost.price_book import LivePrices, PriceBook

RATE = {
    "instance_type": "p5.48xlarge",
    "kind": "hyperpod-on-demand",
    "region": "us-east-1",
    "usd": "70",
    "unit": "instance-hour",
    "source": "contract",
    "date": "2026-11-01",
}
LIVE = LivePrices(
    instances={
        ("p5.48xlarge", "hyperpod-on-demand", "us-east-1"): Known(
            Price(Decimal(60), "instance-hour"), "AWS", "2026-11-20"
        )
    }
)


def test_prices_of_the_user_precede_those_of_aws_and_the_catalogue() -> None:
    user = PriceBook(load_catalog(prices_override=[RATE]), LIVE)
    live, listed = PriceBook(load_catalog(), LIVE), PriceBook(load_catalog())
    origins = [
        book.instance("p5.48xlarge", "us-east-1", "hyperpod-on-demand").origin
        for book in (user, live, listed)
    ]
    assert origins == ["user", "live", "catalogue"]


def test_an_unknown_price_has_no_origin() -> None:
    quote = PriceBook(load_catalog()).service("kms", "key", "mars-1")
    assert quote.origin is None
    assert quote.known is None
