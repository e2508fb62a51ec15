"""AWS Price List: on-demand rates of EC2 and of HyperPod, by region.

The Price List Query API answers from a few regions only, for all regions.
"""

from __future__ import annotations

import json
import re
import urllib.parse
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Any, Final

from clusterwright.aws.session import AwsSession

# Regions of the Price List Query API by the first part of a region's name (the choice of
# karpenter-provider-aws, pkg/providers/pricing).
_ENDPOINT_REGIONS: Final = {"cn": "cn-northwest-1", "ap": "ap-south-1", "eu": "eu-central-1"}
_DEFAULT_ENDPOINT_REGION: Final = "us-east-1"

# Filters for the plain Linux on-demand rate of an EC2 product (from the same project).
_EC2_FILTERS: Final = {
    "preInstalledSw": "NA",
    "operatingSystem": "Linux",
    "capacitystatus": "Used",
    "marketoption": "OnDemand",
    "tenancy": "Shared",
}
_HYPERPOD_USAGE: Final = "Cluster:ml."
# `USE1-Cluster:ml.p5.48xlarge`; us-east-1 has a prefix here, some services omit it there.
_HYPERPOD_TYPE: Final = re.compile(r"(?:[A-Z0-9]+-)?Cluster:ml\.([a-z0-9-]+\.[a-z0-9-]+)")
HOURS: Final = frozenset({"Hrs", "Hours", "Hour", "hours", "hour"})
"""Units of an hourly rate."""

GB_MONTH: Final = frozenset({"GB-Mo", "GB-month"})
"""Units of a rate per GB and month."""


@dataclass(frozen=True)
class Rate:
    """An hourly on-demand rate of one instance type (EC2's name, without `ml.`)."""

    instance_type: str
    usd_per_hour: Decimal
    effective_date: str


@dataclass(frozen=True)
class PricedItem:
    """Location of a service's price in the Price List.

    `usage_type` is the usage type without its region's prefix; `units` are the possible units of
    the Price List, and `per` is how many of them the catalogue's unit has.
    """

    service: str
    name: str
    unit: str
    service_code: str
    family: str
    usage_type: str = ""
    attributes: tuple[tuple[str, str], ...] = ()
    units: frozenset[str] = frozenset()
    per: Decimal = Decimal(1)


def endpoint_region(region: str) -> str:
    """Return the region of the Price List endpoint for `region`."""
    return _ENDPOINT_REGIONS.get(region.partition("-")[0], _DEFAULT_ENDPOINT_REGION)


def asks_aws(session: AwsSession, region: str) -> bool:
    """Return whether the Price List's endpoint is AWS's own, not that of `AWS_ENDPOINT_URL`."""
    client = session.client("pricing", endpoint_region(region), operation="GetProducts")
    host = urllib.parse.urlsplit(client.meta.endpoint_url).hostname or ""
    return host.endswith((".amazonaws.com", ".amazonaws.com.cn"))


def ec2_on_demand(
    session: AwsSession, region: str, instance_type: str | None = None
) -> dict[str, tuple[Rate, ...]]:
    """Return the Linux on-demand rates of a region by instance type, optionally of one type.

    If the Price List has several such products for a type, all rates are returned.

    Raises
    ------
    AwsUnavailable
        The request failed.
    """
    wanted = {"regionCode": region, **_EC2_FILTERS}
    if instance_type is not None:
        wanted["instanceType"] = instance_type
    filters = [
        {"Type": "TERM_MATCH", "Field": field, "Value": value} for field, value in wanted.items()
    ]
    found: dict[str, set[Rate]] = {}
    for product in products(session, region, "AmazonEC2", filters):
        name = product["product"]["attributes"].get("instanceType")
        if name:
            for usd, date in _hourly(product):
                found.setdefault(name, set()).add(Rate(name, usd, date))
    return _sorted(found)


def hyperpod_on_demand(
    session: AwsSession, region: str, instance_type: str | None = None
) -> dict[str, tuple[Rate, ...]]:
    """Return HyperPod's on-demand rates of a region (usage types `...Cluster:ml.*`) by instance
    type, optionally of one type.

    Raises
    ------
    AwsUnavailable
        The request failed.
    """
    filters = [
        {"Type": "TERM_MATCH", "Field": "regionCode", "Value": region},
        {
            "Type": "CONTAINS",
            "Field": "usagetype",
            "Value": f"{_HYPERPOD_USAGE}{instance_type or ''}",
        },
    ]
    found: dict[str, set[Rate]] = {}
    for product in products(session, region, "AmazonSageMaker", filters):
        usage = product["product"]["attributes"].get("usagetype", "")
        match = _HYPERPOD_TYPE.fullmatch(usage)
        if match:
            for usd, date in _hourly(product):
                found.setdefault(match[1], set()).add(Rate(match[1], usd, date))
    return _sorted(found)


def item_prices(
    session: AwsSession, region: str, item: PricedItem
) -> tuple[tuple[Decimal, str], ...]:
    """Return (USD per unit, effective date) of an item of a service.

    Distinct amounts, lowest first. For a tiered price, the first tier with a cost.

    Raises
    ------
    AwsUnavailable
        The request failed.
    """
    wanted = {"regionCode": region, "productFamily": item.family, **dict(item.attributes)}
    filters = [
        {"Type": "TERM_MATCH", "Field": field, "Value": value} for field, value in wanted.items()
    ]
    found: dict[Decimal, str] = {}
    for product in products(session, region, item.service_code, filters):
        usage = str(product["product"]["attributes"].get("usagetype", ""))
        if item.usage_type and not _ends_with(usage, item.usage_type):
            continue
        tier = first_tier(product, item.units)
        if tier is not None:
            found.setdefault(tier[0] * item.per, tier[1])
    return tuple(sorted(found.items()))


def _ends_with(usage: str, wanted: str) -> bool:
    """Return the usage type without a region: `USW2-NatGateway-Hours` → `NatGateway-Hours`."""
    return usage == wanted or usage.endswith(f"-{wanted}")


def first_tier(product: Mapping[str, Any], units: frozenset[str]) -> tuple[Decimal, str] | None:
    """Return (USD per unit, effective date) of the first tier with a cost in one of `units`."""
    tiers: list[tuple[Decimal, Decimal, str]] = []
    for term in product.get("terms", {}).get("OnDemand", {}).values():
        for dimension in term.get("priceDimensions", {}).values():
            try:
                usd = Decimal(dimension.get("pricePerUnit", {}).get("USD"))
                begin = Decimal(dimension.get("beginRange") or 0)
            except (InvalidOperation, TypeError):
                continue
            if usd > 0 and dimension.get("unit") in units:
                tiers.append((begin, usd, str(term.get("effectiveDate", ""))[:10]))
    if not tiers:
        return None
    _, usd, date = min(tiers)
    return usd, date


def products(
    session: AwsSession, region: str, service: str, filters: list[dict[str, str]]
) -> Iterator[Mapping[str, Any]]:
    """Yield the products of a service that match all filters.

    Raises
    ------
    AwsUnavailable
        A request failed.
    """
    for page in session.pages(
        "pricing",
        "GetProducts",
        region=endpoint_region(region),
        ServiceCode=service,
        Filters=filters,
        FormatVersion="aws_v1",
    ):
        for item in page["PriceList"]:
            product = json.loads(item) if isinstance(item, str) else item
            assert isinstance(product, Mapping)
            yield product


def _hourly(product: Mapping[str, Any]) -> Iterator[tuple[Decimal, str]]:
    """Return (USD per hour, effective date) of a product's on-demand terms; zero rates are
    ignored.
    """
    for term in product.get("terms", {}).get("OnDemand", {}).values():
        for dimension in term.get("priceDimensions", {}).values():
            amount = dimension.get("pricePerUnit", {}).get("USD")
            if amount is None or dimension.get("unit") not in HOURS:
                continue
            try:
                usd = Decimal(amount)
            except InvalidOperation:
                continue
            if usd > 0:
                yield usd, str(term.get("effectiveDate", ""))[:10]


def _sorted(found: Mapping[str, set[Rate]]) -> dict[str, tuple[Rate, ...]]:
    """Return distinct amounts only, lowest first, independent of SKUs."""
    result = {}
    for name in sorted(found):
        by_amount = {rate.usd_per_hour: rate for rate in sorted(found[name], key=_by_date)}
        result[name] = tuple(by_amount[usd] for usd in sorted(by_amount))
    return result


def _by_date(rate: Rate) -> str:
    return rate.effective_date
