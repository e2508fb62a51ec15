"""Capacity blocks that can be bought: which types, where, for how long, at what price.

https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/capacity-blocks-purchase.html: durations in
1-day steps up to 14 days and in 7-day steps up to 182 days; up to 64 instances in a block and 256
in all; up to 6 offerings; all blocks end at 11:30 UTC, so a block that starts at another time is
slightly shorter or longer than requested; a start is at most eight weeks ahead. Types and zones
are the catalogue's `capacity_block_places`. Users report that the first block begins half an hour
from now.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, time, timedelta
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

from clusterwright_localaws.core import catalog_facts, quotas
from clusterwright_localaws.core.call import Call, operation
from clusterwright_localaws.core.errors import AwsError
from clusterwright_localaws.core.pagination import page
from clusterwright_localaws.services.ec2.capacity_checks import free_capacity
from clusterwright_localaws.services.ec2.common import new_id, refuse_dry_run
from clusterwright_localaws.services.ec2.reserved import (
    ENDED,
    TERMINATES_BEFORE_END,
    Reserved,
    reserved_in,
)
from clusterwright_localaws.services.ec2.zones import zone_name

END_OF_BLOCKS = time(11, 30, tzinfo=UTC)
MOST_INSTANCES = 64
_MOST_OFFERINGS = 6
_EARLIEST = timedelta(minutes=30)
_LATEST = timedelta(weeks=8)
_DAY_HOURS, _WEEK_HOURS = 24, 7 * 24
_MOST_DAILY_HOURS, _MOST_HOURS = 14 * 24, 182 * 24
_CENT = Decimal("0.01")


@operation("ec2", "DescribeCapacityBlockOfferings")
def describe_capacity_block_offerings(call: Call) -> Mapping[str, Any]:
    request, reserved = call.parameters, reserved_in(call.runtime, call.account, call.region)
    hours = int(request["CapacityDurationHours"])
    check_hours(hours, "CapacityDurationHours")
    types, ultra, count = _asked(call)
    for instance_type in types:
        check_sold(call, instance_type)
        check_quota(call, instance_type)
    refuse_dry_run(call)
    found: list[dict[str, Any]] = []
    if call.world.capacity_block_offerings != "none":
        everything = [
            offering
            for instance_type in types
            for zone_id in _zones(call, instance_type)
            for offering in _in_zone(call, reserved, instance_type, ultra, count, zone_id, hours)
        ]
        everything.sort(key=lambda resource: (resource["StartDate"], resource["AvailabilityZone"]))
        found = everything[:_MOST_OFFERINGS]
    if not request.get("NextToken"):
        reserved.offerings.update({item["CapacityBlockOfferingId"]: item for item in found})
    entries, token = page(found, call, default=1000, stale_page_code="InvalidNextToken")
    shown = [
        {name: value for name, value in entry.items() if not name.startswith("_")}
        for entry in entries
    ]
    return {"CapacityBlockOfferings": shown, **({"NextToken": token} if token else {})}


def check_hours(hours: int, name: str) -> None:
    """Refuse a duration that is not sold.

    Raises
    ------
    AwsError
        InvalidParameterValue.
    """
    daily = hours % _DAY_HOURS == 0 and _DAY_HOURS <= hours <= _MOST_DAILY_HOURS
    weekly = hours % _WEEK_HOURS == 0 and _WEEK_HOURS <= hours <= _MOST_HOURS
    if not (daily or weekly):
        raise AwsError(
            "InvalidParameterValue",
            f"Value ({hours}) for parameter {name} is invalid. You must specify the duration in "
            "1-day increments up to 14 days, and in 7-day increments up to 182 days.",
        )


def check_sold(call: Call, instance_type: str) -> None:
    """Refuse a type without blocks in the region, with the message that users publish.

    Raises
    ------
    AwsError
        InvalidParameterValue.
    """
    if not _places(call, instance_type):
        raise AwsError(
            "InvalidParameterValue",
            f"The instance type '{instance_type}' is not supported for Capacity Blocks in "
            f"'{call.region}'. Specify a compatible instance type and try again.",
        )


def check_quota(call: Call, instance_type: str) -> None:
    """Refuse offerings with a quota of 0: users report this code until their quota is raised.

    Raises
    ------
    AwsError
        CapacityBlockDescribeLimitExceeded.
    """
    found = block_quota(call, instance_type)
    if found is not None and found.value == 0:
        raise AwsError(
            "CapacityBlockDescribeLimitExceeded",
            f"You've reached the limit for this account. ({found.name} is 0)",
        )


def block_quota(call: Call, instance_type: str) -> quotas.AppliedQuota | None:
    """Return the quota of vCPUs in blocks of a type's family, where it is documented."""
    code = catalog_facts.quota_code(instance_type, "capacity-block")
    return None if code is None else quotas.quota(call.runtime, call.region, "ec2", code)


def free_in(
    reserved: Reserved,
    instance_type: str,
    zone_id: str,
    start: datetime,
    end: datetime,
    *,
    without: str | None = None,
) -> int | None:
    """Return the instances that the world's `capacity` has for a block in a period."""
    free = free_capacity(reserved, instance_type, zone_id)
    if free is None:
        return None
    later = sum(
        item.members["TotalInstanceCount"]
        for item in reserved.by_id.values()
        if item.members["State"] not in ("active", *ENDED)
        and item.id != without
        and item.members["InstanceType"] == instance_type
        and item.members["AvailabilityZoneId"] == zone_id
        and item.members["StartDate"] < end
        and (item.members.get("EndDate") or end) > start
    )
    return max(0, free - int(later))


def fee(
    call: Call, instance_type: str, ultra: str | None, zone_id: str, units: int, hours: Decimal
) -> dict[str, str]:
    """Return UpfrontFee and CurrencyCode; empty where no source states the price."""
    catalog = catalog_facts.catalog()
    place = catalog.local_zone(zone_id) or call.region
    price = catalog_facts.known(
        catalog.instance_price(ultra or instance_type, place, "capacity-block")
    )
    if price is None:
        return {}
    total = (price.usd * units * hours).quantize(_CENT, ROUND_HALF_UP)
    return {"UpfrontFee": str(total), "CurrencyCode": "USD"}


def zone_type(zone_id: str) -> str:
    return "local-zone" if catalog_facts.catalog().local_zone(zone_id) else "availability-zone"


def _asked(call: Call) -> tuple[list[str], str | None, int]:
    """Return instance types, UltraServer type, and count of a request."""
    request = call.parameters
    ultra = request.get("UltraserverType")
    types = [
        preference["InstanceType"] for preference in request.get("InstanceTypePreferences") or ()
    ]
    if request.get("InstanceType"):
        if types:
            raise _combination("InstanceType and InstanceTypePreferences")
        types = [request["InstanceType"]]
    if ultra and types:
        raise _combination("UltraserverType and InstanceType")
    if ultra:
        count = int(request.get("UltraserverCount") or 1)
        _check_count(count, "UltraserverCount")
        return [_instance_of(ultra)], ultra, count
    if not types:
        raise AwsError(
            "MissingParameter",
            "The request must contain the parameter InstanceType or UltraserverType",
        )
    if "InstanceCount" not in request:
        raise AwsError("MissingParameter", "The request must contain the parameter InstanceCount")
    count = int(request["InstanceCount"])
    _check_count(count, "InstanceCount")
    return types, None, count


def _check_count(count: int, name: str) -> None:
    if not 1 <= count <= MOST_INSTANCES:
        raise AwsError(
            "InvalidParameterValue",
            f"Value ({count}) for parameter {name} is invalid. Each Capacity Block can have up to "
            f"{MOST_INSTANCES} instances.",
        )


def _instance_of(ultra: str) -> str:
    for server in catalog_facts.catalog().ultraservers.values():
        if catalog_facts.known(server.api_name) == ultra:
            return str(catalog_facts.known(server.instance_type))
    raise AwsError(
        "InvalidParameterValue", f"Value ({ultra}) for parameter UltraserverType is invalid."
    )


def _instances(ultra: str | None, count: int) -> int:
    if ultra is None:
        return count
    each = catalog_facts.known(catalog_facts.catalog().ultraservers[ultra].instance_count)
    return count * int(each or 1)


def _places(call: Call, instance_type: str) -> list[str]:
    """Return the zones where blocks of a type are sold: of the region, and local zones by name."""
    found = catalog_facts.catalog().instance(instance_type)
    places = catalog_facts.known(found.capacity_block_places) if found is not None else None
    return [p for p in places or () if p == call.region or p.startswith(f"{call.region}-")]


def _zones(call: Call, instance_type: str) -> Iterator[str]:
    """Return whether a zone is included: local zones only if requested by name."""
    catalog, everywhere = (
        catalog_facts.catalog(),
        call.parameters.get("AllAvailabilityZones", False),
    )
    without = call.world.not_offered.get(instance_type, ())
    for place in _places(call, instance_type):
        if place == call.region:
            for zone_id in catalog_facts.zones_with(call.world, instance_type, call.region):
                if catalog.local_zone(zone_id) is None:
                    yield zone_id
        elif everywhere:
            for zone_id in sorted(catalog.zone_ids(call.region)):
                named = catalog.local_zone(zone_id) == place and zone_id != place
                if named and zone_id not in without:
                    yield zone_id


def _in_zone(
    call: Call,
    reserved: Reserved,
    instance_type: str,
    ultra: str | None,
    count: int,
    zone_id: str,
    hours: int,
) -> Iterator[dict[str, Any]]:
    instances, latest = _instances(ultra, count), _moment(call, "EndDateRange")
    for start, end in _periods(call, hours):
        if latest is not None and end > latest:
            continue
        free = free_in(reserved, instance_type, zone_id, start, end)
        if free is not None and free < instances:
            continue
        yield _offering(call, instance_type, ultra, count, zone_id, start, end)


def _offering(
    call: Call,
    instance_type: str,
    ultra: str | None,
    count: int,
    zone_id: str,
    start: datetime,
    end: datetime,
) -> dict[str, Any]:
    minutes = int((end - start).total_seconds() // 60)
    offering: dict[str, Any] = {
        "CapacityBlockOfferingId": new_id("cb"),
        "InstanceType": instance_type,
        "AvailabilityZone": zone_name(call.region, zone_id) or zone_id,
        "InstanceCount": _instances(ultra, count),
        "StartDate": start,
        "EndDate": end,
        "CapacityBlockDurationHours": minutes // 60,
        "CapacityBlockDurationMinutes": minutes % 60,
        "Tenancy": "default",
        "ZoneType": zone_type(zone_id),
        "_ZoneId": zone_id,
        **fee(call, instance_type, ultra, zone_id, count, Decimal(minutes) / 60),
    }
    if ultra is not None:
        offering |= {"UltraserverType": ultra, "UltraserverCount": count}
    return offering


def _periods(call: Call, hours: int) -> Iterator[tuple[datetime, datetime]]:
    """Yield starts and ends: the earliest start, then 11:30 of the following days."""
    now, wanted = call.now.replace(second=0, microsecond=0), timedelta(hours=hours)
    requested = _moment(call, "StartDateRange")
    first = max(now + _EARLIEST, requested) if requested is not None else now + _EARLIEST
    noon = datetime.combine(first.date(), END_OF_BLOCKS)
    if noon < first:
        noon += timedelta(days=1)
    if first < noon:
        # The last end before the requested duration is over, and the first end after it.
        over = noon + timedelta(days=(first + wanted - noon) // timedelta(days=1))
        for end in (over, over + timedelta(days=1)):
            # A block whose instances would end before they started is not offered: shortly before
            # 11:30 the shorter one of a day would last minutes.
            if first < end - TERMINATES_BEFORE_END and first <= now + _LATEST:
                yield first, end
    while noon <= now + _LATEST:
        yield noon, noon + wanted
        noon += timedelta(days=1)


def _moment(call: Call, name: str) -> datetime | None:
    found = call.parameters.get(name)
    if found is None:
        return None
    moment: datetime = found if found.tzinfo else found.replace(tzinfo=UTC)
    return moment


def _combination(names: str) -> AwsError:
    return AwsError(
        "InvalidParameterCombination",
        f"The parameters {names} may not be specified together.",
    )
