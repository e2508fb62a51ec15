"""Instances, by group and kind of capacity.

HyperPod's rates differ from EC2's by no fixed factor, so EC2's rates are never substituted.
Training plans and capacity blocks are paid upfront at the price of the day, which the user or an
AWS API states. Spot prices change continuously.
"""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

from clusterwright.catalog import Known, Price, PriceKind
from clusterwright.cluster_spec.models.compute import CapacityBlock, ComputeGroup, TrainingPlan
from clusterwright.cluster_spec.problems import Path
from clusterwright.cost.bill import Indication, Line, Prepaid
from clusterwright.cost.indications import instance_indication
from clusterwright.cost.line_builder import LineBuilder
from clusterwright.cost.price_book import KIND_OF_CAPACITY, Quote
from clusterwright.cost.terms import SavingsPlan
from clusterwright.platforms.hyperpod.instance_groups import ml_name

_PREPAID = "paid upfront for the whole duration, used or not"
_SPOT = "Spot instances are interrupted with two minutes' notice, and the price changes"
COMMITMENT_UNIT = "USD committed per hour"


def lines(builder: LineBuilder) -> Iterator[Line]:
    """One line per group, a second one for instances on a Savings Plan.

    A group without instances has a line if instances may be added (`max_count`). Purchased
    instances that no group uses follow.
    """
    left = {id(plan): plan.commitment_usd_per_hour for plan in builder.terms.savings_plans}
    for index, group in enumerate(builder.cluster.compute):
        path = ("compute", index, "count")
        if group.count:
            yield from _group(builder, group, path, left)
        elif group.max_count:
            yield _none_now(builder, group, path)
    yield from _purchased_without_group(builder)
    types = {group.instance_type for group in builder.cluster.compute if group.count}
    for plan in builder.terms.savings_plans:
        rest = left[id(plan)]
        # Plans for types that this cluster does not have are not on its bill.
        if rest and plan.instance_type in types and plan.region == builder.place:
            yield _commitment(builder, plan, rest)


def price_kind(group: ComputeGroup, *, hyperpod: bool) -> PriceKind:
    """The kind of price of a group."""
    return KIND_OF_CAPACITY[group.capacity.kind][hyperpod]


def purchase_id(group: ComputeGroup) -> str | None:
    """The ARN of a group's training plan, the id of its capacity block; None for other kinds."""
    capacity = group.capacity
    if isinstance(capacity, TrainingPlan):
        return capacity.arn
    return capacity.id if isinstance(capacity, CapacityBlock) else None


def _group(
    builder: LineBuilder, group: ComputeGroup, path: Path, left: dict[int, Decimal | None]
) -> Iterator[Line]:
    kind = price_kind(group, hyperpod=builder.on_hyperpod)
    text = _text(group, builder)
    identifier = purchase_id(group)
    bought = builder.prepaid(identifier) if identifier is not None else None
    releasable = group.role == "compute" and identifier is None
    rest: Decimal | int = group.count
    if group.capacity.kind == "on-demand":
        for plan in _plans(builder, group.instance_type, kind):
            covered = _covered(plan, Decimal(rest), left)
            if covered:
                rest = Decimal(rest) - covered
                yield builder.instances(
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
        yield builder.instances(
            text,
            rest,
            group.instance_type,
            kind,
            path=path,
            note=_note(group, builder, bought),
            group=group.name,
            releasable=releasable and group.capacity.kind != "reservation",
            quote=_paid(bought) if bought is not None else None,
            indication=_indication(builder, group),
        )


def _none_now(builder: LineBuilder, group: ComputeGroup, path: Path) -> Line:
    """The line of a group whose instances are added later: nothing is charged now."""
    return builder.instances(
        _text(group, builder),
        0,
        group.instance_type,
        price_kind(group, hyperpod=builder.on_hyperpod),
        path=path,
        note=(
            f"no instance now, so nothing is charged; up to {group.max_count} may be added "
            "(max_count), each at this price"
        ),
        group=group.name,
        releasable=True,
        by_use=True,
        indication=_indication(builder, group),
    )


def _text(group: ComputeGroup, builder: LineBuilder) -> str:
    name = ml_name(group.instance_type) if builder.on_hyperpod else group.instance_type
    return f"{group.name}: {name}, {group.capacity.kind}"


def _indication(builder: LineBuilder, group: ComputeGroup) -> Indication | None:
    return instance_indication(
        builder.book,
        group.instance_type,
        builder.place,
        group.capacity.kind,
        hyperpod=builder.on_hyperpod,
    )


def _plans(builder: LineBuilder, instance_type: str, kind: PriceKind) -> list[SavingsPlan]:
    return [
        plan
        for plan in builder.terms.savings_plans
        if (plan.instance_type, plan.covers, plan.region) == (instance_type, kind, builder.place)
    ]


def _covered(plan: SavingsPlan, wanted: Decimal, left: dict[int, Decimal | None]) -> Decimal:
    """Instances that the remaining commitment covers, possibly a fraction."""
    rest = left[id(plan)]
    if rest is None or plan.usd == 0:
        return wanted
    covered = min(wanted, rest / plan.usd)
    # A used commitment is exactly 0, regardless of rounding.
    left[id(plan)] = Decimal(0) if covered < wanted else rest - covered * plan.usd
    return covered


def _rate(plan: SavingsPlan) -> Quote:
    price = Price(plan.usd, "instance-hour")
    return Quote(Known(price, f"your Savings Plan: {plan.source}", plan.date), "user", agreed=True)


def _commitment(builder: LineBuilder, plan: SavingsPlan, rest: Decimal) -> Line:
    price = Price(Decimal(1), COMMITMENT_UNIT)
    return builder.instances(
        f"Savings Plan for {plan.instance_type}: unused commitment",
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


def _purchased_without_group(builder: LineBuilder) -> Iterator[Line]:
    """Purchased instances that no group uses."""
    used: dict[str, list[tuple[int, ComputeGroup]]] = {}
    for index, group in enumerate(builder.cluster.compute):
        identifier = purchase_id(group)
        if identifier is not None:
            used.setdefault(identifier, []).append((index, group))
    for identifier, groups in used.items():
        bought = builder.prepaid(identifier)
        if bought is None:
            continue
        rest = bought.instances - sum(group.count for _, group in groups)
        index, group = groups[0]
        if rest > 0:
            yield builder.instances(
                f"{_short(identifier)}: purchased, in no group",
                rest,
                group.instance_type,
                price_kind(group, hyperpod=builder.on_hyperpod),
                path=("compute", index, "capacity"),
                note=_PREPAID,
                quote=_paid(bought),
            )


def _short(identifier: str) -> str:
    return identifier.rpartition("/")[2]


def _note(group: ComputeGroup, builder: LineBuilder, bought: Prepaid | None) -> str | None:
    kind = group.capacity.kind
    if group.is_interruptible:
        return "while instances run; who pays for unused ones was in no source read here"
    if kind == "reservation":
        return "charged whether instances run or not"
    if kind == "spot":
        zone = builder.cluster.network.availability_zone_id
        history = builder.live.spot.get((group.instance_type, zone))
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
    quote = builder.book.hint(group.instance_type, builder.place, hint)
    fact = quote.known
    if fact is None:
        return _PREPAID
    offer = "an offer for one instance" if kind == "training-plan" else "AWS's price list"
    if quote.origin == "live":
        offer = "AWS's offer"
    return (
        f"{_PREPAID}; as a hint, {offer} of {fact.date} was {fact.value.usd.normalize():f} USD "
        f"per {fact.value.unit}"
    )
