"""A snapshot of the catalogue from the AWS APIs, read in parallel."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from typing import Any

from clusterwright.aws import pricing, quotas
from clusterwright.aws.ec2 import instance_types
from clusterwright.aws.errors import AwsUnavailable, is_not_found
from clusterwright.aws.priced_items import PRICED_ITEMS
from clusterwright.aws.session import AwsSession
from clusterwright.catalog import Catalog
from clusterwright.catalog.api_shapes import instance_record
from clusterwright.catalog.snapshot import PARTS, Snapshot, keeps_quota

_WORKERS = 8


def read_region(
    session: AwsSession,
    region: str,
    catalog: Catalog,
    *,
    date: str,
    parts: Sequence[str] = PARTS,
) -> Snapshot:
    """Types, prices and quotas of the catalogue in one region, from the AWS APIs.

    Raises
    ------
    AwsUnavailable
        An API call failed; no response is used then.
    """
    wanted = catalog.described_names | catalog.hyperpod_names
    tasks: dict[str, Callable[[], Any]] = {}
    if "instances" in parts:
        tasks["types"] = lambda: _types(session, region, wanted)
        tasks["zones"] = lambda: instance_types.zones(session, region=region)
    if "prices" in parts:
        tasks["ec2-on-demand"] = lambda: pricing.ec2_on_demand(session, region)
        tasks["hyperpod-on-demand"] = lambda: pricing.hyperpod_on_demand(session, region)
        for item in PRICED_ITEMS:
            tasks[f"service {item.service} {item.name}"] = _service_task(session, region, item)
    if "quotas" in parts:
        for service in sorted({quota.service for quota in catalog.quotas}):
            tasks[f"quotas {service}"] = _quota_task(session, region, service)
    with ThreadPoolExecutor(_WORKERS) as pool:
        running = {name: pool.submit(task) for name, task in tasks.items()}
        answers = {name: future.result() for name, future in running.items()}
    offers, records = answers.get("types", ({}, {}))
    zones: Sequence[instance_types.Zone] = answers.get("zones", ())
    known = [(quota.service, quota.code) for quota in catalog.quotas]
    names = {(quota.service, quota.name) for quota in catalog.quotas}
    return Snapshot(
        region=region,
        date=date,
        endpoint=os.environ.get("AWS_ENDPOINT_URL") or None,
        instances=records,
        zones=tuple(z.zone_id for z in zones if z.kind == "availability-zone"),
        local_zones={z.name: z.zone_id for z in zones if z.kind == "local-zone"},
        offers=offers,
        prices=_prices(answers, wanted),
        quotas=tuple(
            (value.service, value.code, value.name, value.unit, value.value)
            for name, found in answers.items()
            if name.startswith("quotas ")
            for value in found
            if (value.service, value.name) in names
            or keeps_quota(value.service, value.code, value.name, known)
        ),
        parts=tuple(parts),
        services=_services(answers),
    )


def _types(
    session: AwsSession, region: str, wanted: frozenset[str]
) -> tuple[dict[str, tuple[str, ...]], dict[str, dict[str, Any]]]:
    offers: dict[str, list[str]] = {}
    for offering in instance_types.offerings(session, region=region):
        if offering.instance_type in wanted:
            offers.setdefault(offering.instance_type, []).append(offering.zone_id)
    records = {}
    for answered in instance_types.instance_types(session, sorted(offers), region=region):
        record = instance_record(answered, "")
        del record["source"]
        records[answered["InstanceType"]] = record
    return {name: tuple(sorted(zones)) for name, zones in offers.items()}, records


def _quota_task(
    session: AwsSession, region: str, service: str
) -> Callable[[], list[quotas.QuotaValue]]:
    def task() -> list[quotas.QuotaValue]:
        try:
            return list(quotas.default_quotas(session, service, region=region))
        except AwsUnavailable as error:
            # Service Quotas does not have every service in every region (`ebs` is part of EC2 in
            # some); the quotas on file are then kept.
            if is_not_found(error):
                return []
            raise

    return task


def _service_task(
    session: AwsSession, region: str, item: pricing.PricedItem
) -> Callable[[], tuple[tuple[Decimal, str], ...]]:
    return lambda: pricing.item_prices(session, region, item)


def _services(answers: dict[str, Any]) -> dict[tuple[str, str], tuple[str, str]]:
    """Prices of items that have one amount; with several the right one is not known."""
    found = {}
    for item in PRICED_ITEMS:
        amounts = answers.get(f"service {item.service} {item.name}", ())
        if len(amounts) == 1:
            usd, _ = amounts[0]
            found[item.service, item.name] = (_plain(usd), item.unit)
    return found


def _prices(answers: dict[str, Any], wanted: Iterable[str]) -> dict[tuple[str, str], str | None]:
    types = frozenset(wanted)
    found: dict[tuple[str, str], str | None] = {}
    for kind in ("ec2-on-demand", "hyperpod-on-demand"):
        for name, rates in answers.get(kind, {}).items():
            if name in types:
                amounts = {_plain(rate.usd_per_hour) for rate in rates}
                found[name, kind] = amounts.pop() if len(amounts) == 1 else None
    return found


def _plain(usd: Decimal) -> str:
    """The price without trailing zeros: `55.04` for `55.0400000000`."""
    return f"{usd.normalize():f}"
