"""Instances, by group and kind of capacity.

HyperPod has rates of its own, which differ from EC2's by no fixed factor, so EC2's are never used
in their place. Training plans and capacity blocks are paid for in advance at the price of the day:
what was paid is the user's to say, or AWS's where it is asked. Spot has no price that holds.
"""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

from clusterwright.catalog import Known, Price, PriceKind
from clusterwright.cluster_spec.models.compute import CapacityBlock, ComputeGroup, TrainingPlan
from clusterwright.cluster_spec.problems import Path
from clusterwright.cost.bill import Line, Prepaid
from clusterwright.cost.line_builder import Pricing
from clusterwright.cost.price_book import KIND_OF_CAPACITY, Quote
from clusterwright.cost.terms import SavingsPlan
from clusterwright.platforms.hyperpod.instance_groups import ml_name

_PREPAID = "paid in advance for its whole duration, used or not"
_SPOT = "interruptible: AWS takes Spot instances back at two minutes' notice; the price changes"
COMMITMENT_UNIT = "USD committed per hour"


def lines(pricing: Pricing) -> Iterator[Line]:
    """One line per group with instances, two where a Savings Plan covers some of them; then what
    is bought and in no group.
    """
    left = {id(plan): plan.commitment_usd_per_hour for plan in pricing.terms.savings_plans}
    for index, group in enumerate(pricing.cluster.compute):
        if group.count:
            yield from _group(pricing, group, ("compute", index, "count"), left)
    yield from _not_in_a_group(pricing)
    types = {group.instance_type for group in pricing.cluster.compute if group.count}
    for plan in pricing.terms.savings_plans:
        rest = left[id(plan)]
        # A plan for a type that this cluster does not have is on somebody else's bill.
        if rest and plan.instance_type in types and plan.region == pricing.place:
            yield _commitment(pricing, plan, rest)


def price_kind(group: ComputeGroup, *, hyperpod: bool) -> PriceKind:
    """The kind of price that a group pays."""
    return KIND_OF_CAPACITY[group.capacity.kind][hyperpod]


def purchase_id(group: ComputeGroup) -> str | None:
    """The ARN of a group's training plan, the id of its capacity block; None for other kinds."""
    capacity = group.capacity
    if isinstance(capacity, TrainingPlan):
        return capacity.arn
    return capacity.id if isinstance(capacity, CapacityBlock) else None


def _group(
    pricing: Pricing, group: ComputeGroup, path: Path, left: dict[int, Decimal | None]
) -> Iterator[Line]:
    kind = price_kind(group, hyperpod=pricing.on_hyperpod)
    name = ml_name(group.instance_type) if pricing.on_hyperpod else group.instance_type
    text = f"{group.name}: {name}, {group.capacity.kind}"
    identifier = purchase_id(group)
    bought = pricing.prepaid(identifier) if identifier is not None else None
    releasable = group.role == "compute" and identifier is None
    rest: Decimal | int = group.count
    if group.capacity.kind == "on-demand":
        for plan in _plans(pricing, group.instance_type, kind):
            covered = _covered(plan, Decimal(rest), left)
            if covered:
                rest = Decimal(rest) - covered
                yield pricing.instances(
                    f"{text}, Savings Plan",
                    covered,
                    group.instance_type,
                    kind,
                    path=path,
                    note="the commitment is charged whether instances run or not",
                    group=group.name,
                    quote=_rate(plan),
                )
    if rest:
        yield pricing.instances(
            text,
            rest,
            group.instance_type,
            kind,
            path=path,
            note=_note(group, pricing, bought),
            group=group.name,
            releasable=releasable and group.capacity.kind != "reservation",
            quote=_paid(bought) if bought is not None else None,
        )


def _plans(pricing: Pricing, instance_type: str, kind: PriceKind) -> list[SavingsPlan]:
    return [
        plan
        for plan in pricing.terms.savings_plans
        if (plan.instance_type, plan.covers, plan.region) == (instance_type, kind, pricing.place)
    ]


def _covered(plan: SavingsPlan, wanted: Decimal, left: dict[int, Decimal | None]) -> Decimal:
    """Instances that what is left of the commitment pays for, which may be parts of one."""
    rest = left[id(plan)]
    if rest is None or plan.usd == 0:
        return wanted
    covered = min(wanted, rest / plan.usd)
    # What is used up is exactly nothing, whatever the division rounds.
    left[id(plan)] = Decimal(0) if covered < wanted else rest - covered * plan.usd
    return covered


def _rate(plan: SavingsPlan) -> Quote:
    price = Price(plan.usd, "instance-hour")
    return Quote(Known(price, f"your Savings Plan: {plan.source}", plan.date), "user", agreed=True)


def _commitment(pricing: Pricing, plan: SavingsPlan, rest: Decimal) -> Line:
    price = Price(Decimal(1), COMMITMENT_UNIT)
    return pricing.instances(
        f"Savings Plan for {plan.instance_type}: commitment that nothing uses",
        rest,
        plan.instance_type,
        plan.covers,
        path=("compute",),
        quote=Quote(
            Known(price, f"your Savings Plan: {plan.source}", plan.date), "user", agreed=True
        ),
        unit=COMMITMENT_UNIT,
    )


def _paid(bought: Prepaid) -> Quote:
    price = Price(bought.usd_per_instance_hour, "instance-hour")
    return Quote(
        Known(price, bought.source, bought.date, derived=True), bought.origin, agreed=True
    )


def _not_in_a_group(pricing: Pricing) -> Iterator[Line]:
    """Instances of plans and blocks that no group takes: they are paid for all the same."""
    used: dict[str, list[tuple[int, ComputeGroup]]] = {}
    for index, group in enumerate(pricing.cluster.compute):
        identifier = purchase_id(group)
        if identifier is not None:
            used.setdefault(identifier, []).append((index, group))
    for identifier, groups in used.items():
        bought = pricing.prepaid(identifier)
        if bought is None:
            continue
        rest = bought.instances - sum(group.count for _, group in groups)
        index, group = groups[0]
        if rest > 0:
            yield pricing.instances(
                f"{_short(identifier)}: bought, in no group",
                rest,
                group.instance_type,
                price_kind(group, hyperpod=pricing.on_hyperpod),
                path=("compute", index, "capacity"),
                note=_PREPAID,
                quote=_paid(bought),
            )


def _short(identifier: str) -> str:
    return identifier.rpartition("/")[2]


def _note(group: ComputeGroup, pricing: Pricing, bought: Prepaid | None) -> str | None:
    kind = group.capacity.kind
    if kind == "reservation":
        return "charged whether instances run or not"
    if kind == "spot":
        zone = pricing.cluster.network.availability_zone_id
        history = pricing.live.spot.get((group.instance_type, zone))
        return "; ".join(part for part in (_SPOT, history) if part)
    if bought is not None:
        when = f", {bought.start} to {bought.end}" if bought.start and bought.end else ""
        return (
            f"{_PREPAID}: {bought.upfront_usd.normalize():,f} USD for {bought.instances} "
            f"instances × {bought.hours.normalize():f} h{when}"
        )
    if kind not in ("training-plan", "capacity-block"):
        return None
    hint: PriceKind = "training-plan-offer" if kind == "training-plan" else "capacity-block"
    quote = pricing.book.hint(group.instance_type, pricing.place, hint)
    fact = quote.known
    if fact is None:
        return _PREPAID
    offer = "an offer for one instance" if kind == "training-plan" else "AWS's price list"
    if quote.origin == "live":
        offer = "AWS's offer"
    return (
        f"{_PREPAID}; as a hint, {offer} of {fact.date} said {fact.value.usd.normalize():f} USD "
        f"per {fact.value.unit}"
    )
