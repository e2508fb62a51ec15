"""AWS PCS's prices are found by words, whatever its service code and usage types are."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any

import pytest

from clusterwright.aws.pcs_prices import ITEMS, pcs_prices
from clusterwright.aws.session import AwsSession
from clusterwright.cost.components import pcs
from clusterwright.platforms.pcs.sizes import SIZES

CODES = ("AmazonEC2", "AWSExampleParallelComputing", "AmazonSagemakerPcsLookalike")


def product(usage: str, usd: str, unit: str = "Hrs", **attributes: str) -> str:
    dimension = {"unit": unit, "pricePerUnit": {"USD": usd}}
    term = {"priceDimensions": {"rate": dimension}, "effectiveDate": "2026-10-01T00:00:00Z"}
    return json.dumps(
        {
            "product": {
                "productFamily": "Compute",
                "attributes": {
                    "usagetype": usage,
                    "servicename": "AWS Accounting Node Slurm Small Service",
                    **attributes,
                },
            },
            "terms": {"OnDemand": {"term": term}},
        }
    )


@pytest.fixture
def price_list(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Products of the one PCS-like service, to be filled by the test."""
    answer: list[str] = []

    def pages(
        _: AwsSession, service: str, operation: str, *, region: str, **asked: Any
    ) -> Iterator[Mapping[str, Any]]:
        assert (service, region) == ("pricing", "us-east-1")
        if operation == "DescribeServices":
            yield {"Services": [{"ServiceCode": code} for code in CODES]}
            return
        assert asked["ServiceCode"] == CODES[1]
        assert {"Type": "TERM_MATCH", "Field": "regionCode", "Value": "us-west-2"} in asked[
            "Filters"
        ]
        yield {"PriceList": answer}

    monkeypatch.setattr(AwsSession, "pages", pages)
    return answer


def found(session: AwsSession) -> dict[str, list[Decimal]]:
    return {
        name: [usd for usd, _ in amounts]
        for name, amounts in pcs_prices(session, "us-west-2").items()
    }


def test_items_are_those_of_the_bill() -> None:
    billed = {pcs.controller(size.name) for size in SIZES} | {
        pcs.NODE_MANAGEMENT,
        pcs.ACCOUNTING_USE,
        pcs.ACCOUNTING_STORAGE,
    }
    assert {("pcs", item.name, item.unit) for item in ITEMS} == {
        (item.service, item.name, item.unit) for item in billed
    }


def test_products_are_recognised_by_words(price_list: list[str]) -> None:
    price_list += [
        product("USW2-SlurmController:Small", "0.5"),
        product("USW2-Controller-hours", "3.1", size="MEDIUM", scheduler="Slurm"),
        product("USW2-NodeMgmt:SlurmStd", "0.07"),
        product("USW2-SlurmAccounting", "0.4"),
        product("USW2-SlurmAccounting-Storage", "0.25", unit="GB-Mo"),
    ]
    assert found(AwsSession("us-west-2")) == {
        "controller Small (Slurm)": [Decimal("0.5")],
        "controller Medium (Slurm)": [Decimal("3.1")],
        "node management": [Decimal("0.07")],
        "managed accounting": [Decimal("0.4")],
        "managed accounting storage": [Decimal("0.25")],
    }


def test_several_prices_of_an_item_are_all_returned(price_list: list[str]) -> None:
    price_list += [
        product("USW2-NodeMgmt:SlurmAdv", "0.12"),
        product("USW2-NodeMgmt:SlurmStd", "0.07"),
        product("USW2-NodeMgmt:SlurmStd-Zone", "0.07"),
    ]
    assert found(AwsSession("us-west-2")) == {
        "node management": [Decimal("0.07"), Decimal("0.12")]
    }


@pytest.mark.parametrize(
    "other",
    [
        product("USW2-SlurmController:Smallest", "0.5"),
        product("USW2-SlurmController:Small", "0"),
        product("USW2-SlurmController:Small", "0.5", unit="Quantity"),
        product("USW2-Controller:Small", "0.5"),
    ],
)
def test_what_fits_no_item_has_no_price(price_list: list[str], other: str) -> None:
    price_list.append(other)
    assert found(AwsSession("us-west-2")) == {}
