"""Products of the Price List that are items of a bill."""

from __future__ import annotations

from collections import Counter

from clusterwright.aws.priced_items import PRICED_ITEMS
from clusterwright.aws.pricing import item_prices
from clusterwright.aws.session import AwsSession
from clusterwright_localaws import local_aws
from clusterwright_localaws.testing import KNOWN_BY


def test_local_price_list_has_every_item() -> None:
    """A world that prices every item: each is found by its distinguishing attributes."""
    seeds = [
        {
            "region": "us-east-1", "service": item.service, "item": item.name,
            "usd": 1 + index, "unit": sorted(item.units)[0],
        }
        for index, item in enumerate(PRICED_ITEMS)
    ]  # fmt: skip
    with local_aws(prices=seeds):
        session = AwsSession("us-east-1")
        for index, item in enumerate(PRICED_ITEMS):
            found = item_prices(session, "us-east-1", item)
            assert [usd for usd, _ in found] == [(1 + index) * item.per], item
            # A price of the world holds in its region only; the catalogue's are served elsewhere.
            elsewhere = [usd for usd, _ in item_prices(session, "eu-west-1", item)]
            assert (1 + index) * item.per not in elsewhere
    named = {(item.service, item.name) for item in PRICED_ITEMS}
    assert set(KNOWN_BY) - named == {("fsx_openzfs", "provisioned IOPS")}


def test_each_item_is_listed_once_and_has_units() -> None:
    counts = Counter((item.service, item.name) for item in PRICED_ITEMS)
    assert set(counts.values()) == {1}
    assert all(item.units and item.per > 0 for item in PRICED_ITEMS)
