"""Spot prices of the world. No source states any, so there are none without the world's.

https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_DescribeSpotPriceHistory.html: a start
and an end select the changes between them and the last change before the start; the past 90 days
are kept.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from clusterwright_localaws.core.call import Call, operation
from clusterwright_localaws.core.errors import AwsError
from clusterwright_localaws.core.pagination import page
from clusterwright_localaws.services.ec2.common import matches, refuse_dry_run
from clusterwright_localaws.services.ec2.zones import zone_id_of, zone_name
from clusterwright_localaws.worlds.model import moment_of

_KEPT = timedelta(days=90)
_FILTERS = {
    "availability-zone": "AvailabilityZone",
    "availability-zone-id": "AvailabilityZoneId",
    "instance-type": "InstanceType",
    "product-description": "ProductDescription",
    "spot-price": "SpotPrice",
    "timestamp": "Timestamp",
}


@operation("ec2", "DescribeSpotPriceHistory")
def describe_spot_price_history(call: Call) -> Mapping[str, Any]:
    request = call.parameters
    if request.get("AvailabilityZone") and request.get("AvailabilityZoneId"):
        raise AwsError(
            "InvalidParameterCombination",
            "Either AvailabilityZone or AvailabilityZoneId can be specified, but not both",
        )
    zone = request.get("AvailabilityZone")
    if zone and zone_id_of(call.region, zone) is None:
        raise AwsError("InvalidParameterValue", f"Invalid availability zone: [{zone}]")
    refuse_dry_run(call)
    found = [
        shown
        for shown in _between(call, _moment(call, "StartTime"), _moment(call, "EndTime"))
        if _passes(request, shown) and matches(shown, request.get("Filters", []), _FILTERS)
    ]
    found.sort(key=lambda item: (item["Timestamp"], item["InstanceType"]), reverse=True)
    entries, token = page(
        found, call, default=1000, maximum=1000, stale_page_code="InvalidNextToken"
    )
    return {"SpotPriceHistory": list(entries), "NextToken": token or ""}


def _between(call: Call, start: datetime | None, end: datetime | None) -> list[dict[str, Any]]:
    """Return the changes in the period, and the price of each series at its start."""
    end = min(end or call.now, call.now)
    start = max(start or call.now - _KEPT, call.now - _KEPT)
    series: dict[tuple[str, str, str], list[dict[str, Any]]] = {}
    for seed in call.world.spot_prices:
        name = zone_name(call.region, seed.zone_id)
        if name is None:
            continue
        change = {
            "AvailabilityZone": name,
            "AvailabilityZoneId": seed.zone_id,
            "InstanceType": seed.instance_type,
            "ProductDescription": seed.product,
            "SpotPrice": f"{seed.usd:f}",
            "Timestamp": moment_of(seed.since, call.now),
        }
        series.setdefault((seed.instance_type, seed.zone_id, seed.product), []).append(change)
    found: list[dict[str, Any]] = []
    for changes in series.values():
        changes.sort(key=lambda item: item["Timestamp"])
        before = [item for item in changes if item["Timestamp"] <= start]
        found += before[-1:]
        found += [item for item in changes if start < item["Timestamp"] <= end]
    return found


def _passes(request: Mapping[str, Any], shown: Mapping[str, Any]) -> bool:
    for member, requested in (
        ("InstanceType", request.get("InstanceTypes")),
        (
            "AvailabilityZone",
            [request["AvailabilityZone"]] if request.get("AvailabilityZone") else (),
        ),
        (
            "AvailabilityZoneId",
            [request["AvailabilityZoneId"]] if request.get("AvailabilityZoneId") else (),
        ),
    ):
        if requested and shown[member] not in requested:
            return False
    products = [p.removesuffix(" (Amazon VPC)") for p in request.get("ProductDescriptions") or ()]
    return not products or shown["ProductDescription"] in products


def _moment(call: Call, name: str) -> datetime | None:
    found = call.parameters.get(name)
    if found is None:
        return None
    moment: datetime = found if found.tzinfo else found.replace(tzinfo=UTC)
    return moment
