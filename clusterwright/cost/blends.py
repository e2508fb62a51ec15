"""Groups with several kinds of capacity: average rate and fallback rates."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

from clusterwright.cluster_spec.models.compute import ComputeGroup
from clusterwright.cost.bill import Blend, Line, Share
from clusterwright.cost.components.compute import price_kind
from clusterwright.cost.line_builder import EC2, HYPERPOD, LineBuilder


def blends(builder: LineBuilder, lines: tuple[Line, ...]) -> Iterator[Blend]:
    """One blend for each group with several kinds of capacity (`part_of`)."""
    parts: dict[str, list[ComputeGroup]] = {}
    for group in builder.cluster.compute:
        if group.part_of is not None:
            parts.setdefault(group.part_of, []).append(group)
    for name, groups in parts.items():
        shares = tuple(
            Share(group.capacity.kind, group.count, _paid(group, lines))
            for group in groups
            if group.count
        )
        # A part of 0 instances is a fallback of the others.
        fallbacks = tuple(
            Share(group.capacity.kind, sum(g.count for g in groups), _listed(builder, group))
            for group in groups
            if not group.count
        )
        yield Blend(name, sum(group.count for group in groups), shares, fallbacks)


def _paid(group: ComputeGroup, lines: tuple[Line, ...]) -> Decimal | None:
    mine = [line for line in lines if line.component == "compute" and line.group == group.name]
    found = Decimal(0)
    for line in mine:
        hourly = line.hourly_usd
        if hourly is None:
            return None
        found += hourly
    return found / group.count


def _listed(builder: LineBuilder, group: ComputeGroup) -> Decimal | None:
    kind = price_kind(group, hyperpod=builder.on_hyperpod)
    quote = builder.book.instance(group.instance_type, builder.place, kind)
    known = builder.discounted(quote, HYPERPOD if builder.on_hyperpod else EC2).known
    return known.value.usd if known is not None else None
