"""Reads the prices of one cluster from AWS's APIs, in parallel, with each refusal."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Final, NamedTuple

from clusterwright.aws import pricing, training_plans
from clusterwright.aws.ec2 import capacity_offers
from clusterwright.aws.errors import AwsUnavailable
from clusterwright.aws.pcs_prices import ITEMS as PCS_ITEMS
from clusterwright.aws.pcs_prices import pcs_prices
from clusterwright.aws.priced_items import PRICED_ITEMS
from clusterwright.aws.session import AwsSession
from clusterwright.catalog import Catalog, Known, Price
from clusterwright.cluster_spec.models import Cluster
from clusterwright.cluster_spec.models.compute import TrainingPlan
from clusterwright.cost.bill import Prepaid
from clusterwright.cost.components import pcs
from clusterwright.cost.price_book import LivePrices, LiveRefusal
from clusterwright.platforms.pcs.sizes import size_of

_POOL_SIZE: Final = 16
_Amounts = tuple[tuple[Decimal, str], ...]
"""(USD per unit, effective date) of one item: distinct amounts."""
_PRICE_LIST: Final = "AWS Price List (Pricing GetProducts)"


@dataclass
class _Found:
    """What has been answered so far."""

    instances: dict[tuple[str, str, str], Known[Price]] = field(default_factory=dict)
    services: dict[tuple[str, str, str], Known[Price]] = field(default_factory=dict)
    hints: dict[tuple[str, str, str], Known[Price]] = field(default_factory=dict)
    spot: dict[tuple[str, str], str] = field(default_factory=dict)
    purchases: list[Prepaid] = field(default_factory=list)
    ambiguous: list[LiveRefusal] = field(default_factory=list)


class _Task(NamedTuple):
    """A question, the IAM action that it needs, and what becomes of its answer."""

    action: str
    ask: Callable[[], Any]
    take: Callable[[Any, _Found], None]


def fetch(
    session: AwsSession,
    cluster: Cluster,
    catalog: Catalog,
    *,
    today: dt.date,
    progress: Callable[[int, int], None] | None = None,
) -> LivePrices:
    """The live prices of a cluster's instances, purchases and services.

    Questions without an answer are in `refusals`; what they asked for keeps the catalogue's price.
    Where the Price List has several prices for one thing, nothing here decides between them.
    """
    tasks = [*_instances(session, cluster, catalog, today), *_services(session, cluster, today)]
    try:
        session.require_credentials(service="pricing", operation="GetProducts")
    except AwsUnavailable as refusal:
        return LivePrices(refusals=(_refusal(refusal),))
    found = _Found()
    refusals: dict[tuple[str, str], LiveRefusal] = {}
    with ThreadPoolExecutor(_POOL_SIZE, thread_name_prefix="clusterwright-prices") as pool:
        answers = pool.map(_asked, tasks)
        for done, (task, answer) in enumerate(zip(tasks, answers, strict=True), start=1):
            if progress is not None:
                progress(done, len(tasks))
            if isinstance(answer, AwsUnavailable):
                # One sentence for each permission and reason, however many prices wanted it.
                refusals.setdefault((answer.iam_action, answer.reason), _refusal(answer))
            elif answer is not None:
                task.take(answer, found)
    return LivePrices(
        instances=found.instances,
        services=found.services,
        hints=found.hints,
        spot=found.spot,
        purchases=tuple(found.purchases),
        refusals=(*refusals.values(), *found.ambiguous),
        calls=len(tasks),
    )


def _asked(task: _Task) -> Any:
    try:
        return task.ask()
    except AwsUnavailable as refusal:
        return refusal
    except Exception as error:  # noqa: BLE001
        # An answer in an unexpected form is not an answer; the other prices remain valid.
        return _not_understood(task.action, error)


def _not_understood(action: str, error: Exception) -> AwsUnavailable:
    service, _, operation = action.partition(":")
    return AwsUnavailable(
        service=service,
        operation=operation,
        region=None,
        reason="other",
        detail=f"an answer has an unexpected form: {type(error).__name__}: {error}",
    )


def _refusal(refusal: AwsUnavailable) -> LiveRefusal:
    return LiveRefusal(refusal.message, refusal.hint, refusal.iam_action)


def _instances(
    session: AwsSession, cluster: Cluster, catalog: Catalog, today: dt.date
) -> Iterator[_Task]:
    hyperpod = cluster.on_hyperpod
    zone, region = cluster.network.availability_zone_id, cluster.region
    if catalog.local_zone(zone) is not None:
        # The Price List names local zones by their group, which no source lists.
        return
    wanted = dict.fromkeys((g.instance_type, g.capacity.kind) for g in cluster.compute)
    for name, kind in wanted:
        if kind in ("on-demand", "reservation"):
            yield _listed(session, name, region, hyperpod, today)
        elif kind == "spot":
            yield _spot(session, name, region, zone, hyperpod, today)
        elif kind == "training-plan":
            yield _hint(
                session,
                training_plans.training_plan_offer,
                name,
                "training-plan-offer",
                region,
                today,
            )
        elif kind == "capacity-block":
            yield _hint(
                session,
                capacity_offers.capacity_block_offer,
                name,
                "capacity-block",
                region,
                today,
            )
    arns = dict.fromkeys(
        g.capacity.arn for g in cluster.compute if isinstance(g.capacity, TrainingPlan)
    )
    for arn in arns:
        yield _bought(session, arn, today)


def _listed(session: AwsSession, name: str, region: str, hyperpod: bool, today: dt.date) -> _Task:
    kind = "hyperpod-on-demand" if hyperpod else "ec2-on-demand"
    function = pricing.hyperpod_on_demand if hyperpod else pricing.ec2_on_demand

    def take(rates: dict[str, tuple[pricing.Rate, ...]], found: _Found) -> None:
        mine = rates.get(name, ())
        if len(mine) == 1:
            price = Price(mine[0].usd_per_hour, "instance-hour")
            found.instances[name, kind, region] = _known(price, today, mine[0].effective_date)
        elif mine:
            amounts = [rate.usd_per_hour for rate in mine]
            found.ambiguous.append(_several(f"{kind} of {name}", region, amounts))

    return _Task("pricing:GetProducts", lambda: function(session, region, name), take)


def _spot(
    session: AwsSession, name: str, region: str, zone: str, hyperpod: bool, today: dt.date
) -> _Task:
    def take(history: capacity_offers.SpotHistory, found: _Found) -> None:
        words = (
            f"EC2's Spot price in {zone} over {capacity_offers.SPOT_HISTORY.days} days: "
            f"{_usd(history.lowest_usd)} to {_usd(history.highest_usd)} USD, "
            f"{history.changes} changes, since {history.latest:%Y-%m-%d} "
            f"{_usd(history.latest_usd)} USD"
        )
        if hyperpod:
            words += "; HyperPod's Spot rate is its own and in no API"
        else:
            price = Price(history.latest_usd, "instance-hour")
            source = "EC2 Spot price history (DescribeSpotPriceHistory)"
            found.instances[name, "ec2-spot", region] = Known(price, source, today.isoformat())
        found.spot[name, zone] = words

    return _Task(
        "ec2:DescribeSpotPriceHistory",
        lambda: capacity_offers.spot_history(session, name, zone),
        take,
    )


def _hint(
    session: AwsSession,
    function: Callable[[AwsSession, str], Decimal | None],
    name: str,
    kind: str,
    region: str,
    today: dt.date,
) -> _Task:
    source, action = {
        "training-plan-offer": (
            "SageMaker SearchTrainingPlanOfferings",
            "sagemaker:SearchTrainingPlanOfferings",
        ),
        "capacity-block": (
            "EC2 DescribeCapacityBlockOfferings",
            "ec2:DescribeCapacityBlockOfferings",
        ),
    }[kind]

    def take(usd: Decimal, found: _Found) -> None:
        price = Price(round(usd, 6), "instance-hour")
        found.hints[name, kind, region] = Known(price, source, today.isoformat(), derived=True)

    return _Task(action, lambda: function(session, name), take)


def _bought(session: AwsSession, arn: str, today: dt.date) -> _Task:
    def take(plan: training_plans.BoughtPlan, found: _Found) -> None:
        if plan.upfront_fee_usd is None:
            return
        found.purchases.append(
            Prepaid(
                arn,
                plan.instances,
                plan.hours,
                plan.upfront_fee_usd,
                plan.start.date().isoformat() if plan.start else None,
                plan.end.date().isoformat() if plan.end else None,
                "SageMaker DescribeTrainingPlan",
                today.isoformat(),
                "live",
            )
        )

    return _Task(
        "sagemaker:DescribeTrainingPlan", lambda: training_plans.bought_plan(session, arn), take
    )


def _services(session: AwsSession, cluster: Cluster, today: dt.date) -> Iterator[_Task]:
    for item in PRICED_ITEMS:
        if item.service != "eks" or cluster.uses_kubernetes:
            yield _service(session, cluster.region, item, today)
    if "pcs" in cluster.traits.sections:
        yield _pcs(session, cluster, today)


def _service(session: AwsSession, region: str, item: pricing.PricedItem, today: dt.date) -> _Task:
    def take(amounts: _Amounts, found: _Found) -> None:
        _take_item(found, item.service, item.name, item.unit, region, today, amounts)

    return _Task("pricing:GetProducts", lambda: pricing.item_prices(session, region, item), take)


def _pcs(session: AwsSession, cluster: Cluster, today: dt.date) -> _Task:
    region = cluster.region
    billed = {pcs.controller(size_of(cluster)).name, pcs.NODE_MANAGEMENT.name}
    if cluster.slurm.accounting.kind == "managed":
        billed |= {pcs.ACCOUNTING_USE.name, pcs.ACCOUNTING_STORAGE.name}

    def take(amounts: dict[str, _Amounts], found: _Found) -> None:
        if not amounts:
            found.ambiguous.append(
                LiveRefusal(
                    f"no product of the Price List was recognised as AWS PCS in {region}",
                    "state PCS's prices in prices.yaml",
                    "pricing:DescribeServices",
                )
            )
        for item in PCS_ITEMS:
            if item.name in billed:
                mine = amounts.get(item.name, ())
                _take_item(found, "pcs", item.name, item.unit, region, today, mine)

    return _Task("pricing:DescribeServices", lambda: pcs_prices(session, region), take)


def _take_item(
    found: _Found,
    service: str,
    name: str,
    unit: str,
    region: str,
    today: dt.date,
    amounts: _Amounts,
) -> None:
    if len(amounts) == 1:
        usd, since = amounts[0]
        found.services[service, name, region] = _known(Price(usd, unit), today, since)
    elif amounts:
        found.ambiguous.append(_several(f"{service} {name}", region, [usd for usd, _ in amounts]))


def _several(what: str, region: str, amounts: list[Decimal]) -> LiveRefusal:
    listed = ", ".join(_usd(amount) for amount in amounts)
    return LiveRefusal(
        f"the Price List has {len(amounts)} prices for {what} in {region} ({listed} USD)",
        "state the right one in prices.yaml",
        "pricing:GetProducts",
    )


def _known(price: Price, today: dt.date, since: str) -> Known[Price]:
    """A price of the Price List: asked today, in force since its effective date."""
    note = f"in force since {since}" if since else ""
    return Known(price, _PRICE_LIST, today.isoformat(), note)


def _usd(amount: Decimal) -> str:
    return f"{amount.normalize():f}"
