"""AWS PCS in the Price List: its service and products are recognised by words.

No public source states PCS's service code or its usage types. The code is therefore looked up
among all codes at run time, and products by words of their attributes. Nothing here decides
between several prices for one item.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any, Final, NamedTuple

from clusterwright.aws.pricing import GB_MONTH, HOURS, endpoint_region, first_tier, products
from clusterwright.aws.session import AwsSession

_CODE: Final = re.compile(r"(?i)parallelcomputing|^(?:aws|amazon)?pcs$")
_WORD: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")


class PcsItem(NamedTuple):
    """An item of a bill, and the words that all its products have in their attributes."""

    name: str
    unit: str
    words: frozenset[str]
    units: frozenset[str]


ITEMS: Final = (
    *(
        PcsItem(f"controller {size} (Slurm)", "hour", frozenset({"slurm", size.lower()}), HOURS)
        for size in ("Small", "Medium", "Large")
    ),
    PcsItem("node management", "node-hour", frozenset({"node"}), HOURS),
    PcsItem("managed accounting", "hour", frozenset({"accounting"}), HOURS),
    PcsItem("managed accounting storage", "GB-month", frozenset({"accounting"}), GB_MONTH),
)


def pcs_prices(session: AwsSession, region: str) -> dict[str, tuple[tuple[Decimal, str], ...]]:
    """Return (USD per unit, effective date) by the name of the item in `ITEMS`.

    Distinct amounts, lowest first; an item without a product is absent.

    Raises
    ------
    AwsUnavailable
        A request failed.
    """
    found: dict[str, dict[Decimal, str]] = {}
    filters = [{"Type": "TERM_MATCH", "Field": "regionCode", "Value": region}]
    for code in _codes(session, region):
        for product in products(session, region, code, filters):
            words = _words(product["product"])
            for item in ITEMS:
                tier = first_tier(product, item.units) if item.words <= words else None
                if tier is not None:
                    found.setdefault(item.name, {}).setdefault(*tier)
    return {name: tuple(sorted(amounts.items())) for name, amounts in found.items()}


def _codes(session: AwsSession, region: str) -> Iterator[str]:
    for page in session.pages("pricing", "DescribeServices", region=endpoint_region(region)):
        for service in page["Services"]:
            if _CODE.search(service["ServiceCode"]):
                yield service["ServiceCode"]


def _words(product: Mapping[str, Any]) -> frozenset[str]:
    """Return the words of a product's family and attributes except those of its service, which
    every product has: `USE1-SlurmController:Small` → use, 1, slurm, controller, small.
    """
    texts = [
        str(value)
        for name, value in product.get("attributes", {}).items()
        if name not in ("servicecode", "servicename")
    ]
    texts.append(str(product.get("productFamily", "")))
    return frozenset(word.lower() for text in texts for word in _WORD.findall(text))
