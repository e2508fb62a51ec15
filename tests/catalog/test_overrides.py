"""The user's rates: precedence and errors."""

from __future__ import annotations

from decimal import Decimal
from typing import get_args

import pytest

from clusterwright.catalog import Known, PriceKind, PriceOverrideError, Unknown, load_catalog

GOOD = [
    {
        "instance_type": "p5e.48xlarge",
        "region": "us-east-1",
        "kind": "hyperpod-on-demand",
        "usd": 70.5,
        "unit": "instance-hour",
        "source": "private offer 17",
        "date": "2026-11-01",
    },
    {
        "service": "fsx_lustre",
        "item": "PERSISTENT_2 SSD 500",
        "region": "us-east-1",
        "usd": "0.30",
        "unit": "GB-month",
        "source": "enterprise agreement",
        "date": "2026-10-01",
    },
]


def test_user_rate_replaces_unknown_and_known_prices() -> None:
    catalog = load_catalog(prices_override=GOOD)
    price = catalog.instance_price("p5e.48xlarge", "us-east-1", "hyperpod-on-demand")
    assert isinstance(price, Known)
    assert price.value.usd == Decimal("70.5")
    assert (price.source, price.date) == ("your rate: private offer 17", "2026-11-01")
    service = catalog.service_price("fsx_lustre", "PERSISTENT_2 SSD 500", "us-east-1")
    assert isinstance(service, Known)
    assert service.value.usd == Decimal("0.30")
    assert ("p5e.48xlarge", "hyperpod-on-demand", "us-east-1") in catalog.priced


def test_user_rate_applies_to_its_region_and_kind() -> None:
    catalog = load_catalog(prices_override=GOOD)
    for region, kind in (("us-west-2", "hyperpod-on-demand"), ("us-east-1", "ec2-on-demand")):
        assert isinstance(catalog.instance_price("p5e.48xlarge", region, kind), Unknown)  # type: ignore[arg-type]
    plain = load_catalog().instance_price("p5e.48xlarge", "us-east-1", "hyperpod-on-demand")
    assert isinstance(plain, Unknown)


def test_an_empty_file_changes_nothing() -> None:
    for empty in (None, []):
        catalog = load_catalog(prices_override=empty)
        assert catalog.priced == load_catalog().priced


def test_problems_have_paths() -> None:
    bad = [
        "text",
        {**GOOD[0], "usd": -1},
        {**GOOD[0], "usd": "many", "kind": "on-demand"},
        {**GOOD[0], "colour": "red"},
        {key: value for key, value in GOOD[0].items() if key not in ("date", "unit")},
        {**GOOD[0], **GOOD[1]},
        {"region": "us-east-1"},
        {**GOOD[1], "item": 3, "usd": True, "date": ""},
        {**GOOD[0], "usd": float("nan")},
        GOOD[0],
        GOOD[0],
    ]
    with pytest.raises(PriceOverrideError) as caught:
        load_catalog(prices_override=bad)
    said = [(problem.path, problem.message) for problem in caught.value.problems]
    kinds = ", ".join(get_args(PriceKind))
    assert said == [
        ((0,), "must be a mapping"),
        ((1, "usd"), "must be an amount of 0 or more"),
        ((2, "usd"), "must be an amount of 0 or more"),
        ((2, "kind"), f"must be one of {kinds}"),
        (
            (3, "colour"),
            "unknown key; known: region, usd, unit, source, date, instance_type, kind",
        ),
        ((4,), "unit is missing"),
        ((4,), "date is missing"),
        ((5,), "must have instance_type and kind, or service and item"),
        ((6,), "must have instance_type and kind, or service and item"),
        ((7, "item"), "must be text"),
        ((7, "usd"), "must be an amount of 0 or more"),
        ((7, "date"), "must not be empty"),
        ((8, "usd"), "must be an amount of 0 or more"),
        ((10,), "duplicate rate for p5e.48xlarge hyperpod-on-demand us-east-1"),
    ]
    assert str(caught.value).startswith("[0]: must be a mapping; [1].usd: must be an amount")


@pytest.mark.parametrize("data", [{"rates": []}, "p5: 3", 7])
def test_document_must_be_a_list(data: object) -> None:
    with pytest.raises(PriceOverrideError, match="must be a list of rates"):
        load_catalog(prices_override=data)
