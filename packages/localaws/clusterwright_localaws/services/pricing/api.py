"""The Price List Query API: the prices of the catalogue and the world, in AWS's format.

One region serves the prices of all regions. A price that no source states has no product: the
answer is an empty list, as AWS's for a type that a region does not sell.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from clusterwright_localaws.core.call import Call, operation
from clusterwright_localaws.core.errors import AwsError
from clusterwright_localaws.core.pagination import page
from clusterwright_localaws.services.pricing.products import SERVICES, Product, products

FORMAT = "aws_v1"
# An AWS service without a sourced price exists, and has no products.
_KNOWN = frozenset(code for code, _ in SERVICES.values())


@operation("pricing", "DescribeServices")
def describe_services(call: Call) -> Mapping[str, Any]:
    everything = products(call.runtime)
    wanted = call.parameters.get("ServiceCode")
    codes = sorted({product.service_code for product in everything} | _KNOWN)
    if wanted is not None and wanted not in codes:
        raise _no_service(wanted)
    found = [
        {
            "ServiceCode": code,
            "AttributeNames": sorted(
                {name for p in everything if p.service_code == code for name in p.attributes}
            ),
        }
        for code in codes
        if wanted in (None, code)
    ]
    entries, token = _page(found, call, 100)
    answer = {"Services": list(entries), "FormatVersion": FORMAT}
    return {**answer, "NextToken": token} if token else answer


@operation("pricing", "GetAttributeValues")
def get_attribute_values(call: Call) -> Mapping[str, Any]:
    name = call.parameters["AttributeName"]
    values = sorted({p.attributes[name] for p in _of_service(call) if name in p.attributes})
    if not values:
        raise AwsError("NotFoundException", f"There is no attribute {name}.")
    entries, token = _page(values, call, 10_000)
    answer: dict[str, Any] = {"AttributeValues": [{"Value": value} for value in entries]}
    return {**answer, "NextToken": token} if token else answer


@operation("pricing", "GetProducts")
def get_products(call: Call) -> Mapping[str, Any]:
    if call.parameters.get("FormatVersion", FORMAT) != FORMAT:
        raise AwsError("InvalidParameterException", "The format version is not supported.")
    filters = call.parameters.get("Filters", ())
    found = [p for p in _of_service(call) if all(_matches(p, entry) for entry in filters)]
    entries, token = _page(found, call, 100)
    answer: dict[str, Any] = {
        "FormatVersion": FORMAT,
        "PriceList": [json.dumps(each.document()) for each in entries],
    }
    return {**answer, "NextToken": token} if token else answer


def _of_service(call: Call) -> list[Product]:
    code = call.parameters["ServiceCode"]
    found = [product for product in products(call.runtime) if product.service_code == code]
    if not found and code not in _KNOWN:
        raise _no_service(code)
    return found


def _matches(product: Product, entry: Mapping[str, str]) -> bool:
    kind, wanted = entry["Type"], entry["Value"]
    has = (
        product.family
        if entry["Field"] == "productFamily"
        else product.attributes.get(entry["Field"])
    )
    several = [value.strip() for value in wanted.split(",")]
    if kind == "NONE_OF":
        return has not in several
    if has is None:
        return False
    if kind == "CONTAINS":
        return wanted in has
    return has in several if kind == "ANY_OF" else has == wanted


def _no_service(code: str) -> AwsError:
    return AwsError("NotFoundException", f"The service code {code} does not exist.")


def _page(entries: Iterable[Any], call: Call, limit: int) -> tuple[Any, str | None]:
    return page(
        list(entries),
        call,
        default=limit,
        maximum=limit,
        stale_page_code="InvalidNextTokenException",
    )
