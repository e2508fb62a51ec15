"""Instances, by group and kind of capacity.

HyperPod has rates of its own, which differ from EC2's by no fixed factor, so EC2's are never used
in their place. Training plans and capacity blocks are paid for in advance at the price of the day:
what was paid is the user's to say. Spot has no price that holds.
"""

from __future__ import annotations

from collections.abc import Iterator

from clusterwright.catalog import Known, PriceKind
from clusterwright.cost.bill import Line
from clusterwright.cost.pricing import Pricing
from clusterwright.platforms.hyperpod import ml_name
from clusterwright.spec.models.compute import ComputeGroup

_PREPAID = "paid in advance for its whole duration, used or not"


def lines(pricing: Pricing) -> Iterator[Line]:
    """One line per group with instances."""
    hyperpod = pricing.cluster.platform.startswith("hyperpod-")
    for index, group in enumerate(pricing.cluster.compute):
        if not group.count:
            continue
        name = ml_name(group.instance_type) if hyperpod else group.instance_type
        kind = price_kind(group, hyperpod=hyperpod)
        yield pricing.instances(
            f"{group.name}: {name}, {group.capacity.kind}",
            group.count,
            group.instance_type,
            kind,
            path=("compute", index, "count"),
            note=_note(group, pricing),
        )


def price_kind(group: ComputeGroup, *, hyperpod: bool) -> PriceKind:
    """The kind of price that a group pays."""
    kind = group.capacity.kind
    if kind == "training-plan":
        return "training-plan"
    if kind == "capacity-block":
        return "capacity-block-paid"
    if kind == "spot":
        return "hyperpod-spot" if hyperpod else "ec2-spot"
    # A reservation of EC2 costs what the instance costs, whether it runs or not.
    return "hyperpod-on-demand" if hyperpod else "ec2-on-demand"


def _note(group: ComputeGroup, pricing: Pricing) -> str | None:
    kind = group.capacity.kind
    if kind == "reservation":
        return "charged whether instances run or not"
    if kind not in ("training-plan", "capacity-block"):
        return None
    hint: PriceKind = "training-plan-offer" if kind == "training-plan" else "capacity-block"
    fact = pricing.catalog.instance_price(group.instance_type, pricing.region, hint)
    if not isinstance(fact, Known):
        return _PREPAID
    offer = "an offer for one instance" if kind == "training-plan" else "AWS's price list"
    return (
        f"{_PREPAID}; as a hint, {offer} of {fact.date} said {fact.value.usd} USD "
        f"per {fact.value.unit}"
    )
