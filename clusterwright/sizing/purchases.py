"""Capacity blocks and training plans that cover a run, and their idle share.

EC2 capacity blocks: 1, 2, 4, ... 64 instances, 1 to 14 days by the day, then 7-day steps to 182.
Training plans: the same sizes in up to two segments, 1 to 182 days by the day. Neither can be
moved, split or returned, so a run pays for whole ones. (EC2 User Guide, Capacity Blocks for ML;
SageMaker AI Developer Guide, training plans; the limits are the catalogue's.)
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final, Literal

from clusterwright.catalog import Catalog, Known
from clusterwright.sizing.errors import GoalError

Advance = Literal["capacity-block", "training-plan"]

DAILY_UP_TO: Final = 14
"""Days; longer capacity blocks last whole weeks."""
WEEK: Final = 7
LARGEST_BLOCK: Final = 64
"""Instances of one block or segment; the API of plans accepts several."""


@dataclass(frozen=True)
class Purchase:
    """A number of equal blocks that start on the same day."""

    kind: Advance
    instances: int
    days: int
    starts_on_day: int
    count: int = 1

    @property
    def instance_days(self) -> int:
        """Paid instance-days."""
        return self.instances * self.days * self.count


@dataclass(frozen=True)
class PurchasePlan:
    """Purchases that together cover a run.

    Attributes
    ----------
    needed_instance_days, paid_instance_days, idle_instance_days:
        Used by the run, paid for, and the difference.
    handovers:
        Days (from the start) on which one block ends and the next begins: the run saves,
        stops and restarts there.
    cautions:
        Limits of the purchases.
    """

    purchases: tuple[Purchase, ...]
    needed_instance_days: float
    paid_instance_days: int
    handovers: tuple[int, ...]
    cautions: tuple[str, ...]

    @property
    def idle_instance_days(self) -> float:
        return self.paid_instance_days - self.needed_instance_days

    @property
    def idle_share(self) -> float:
        """Of what is paid."""
        return self.idle_instance_days / self.paid_instance_days


def cover(nodes: int, days: float, kind: Advance, catalog: Catalog) -> PurchasePlan:
    """The purchases that cover `nodes` for `days` with the fewest paid instance-days.

    Raises
    ------
    GoalError
        More than is sold at a time; the hint states the limit.
    """
    if nodes < 1 or not 0 < days < math.inf:
        raise GoalError(
            f"{nodes} nodes for {days} days", "both must be positive", field="capacity"
        )
    prefix = kind.replace("-", "_")
    largest = _limit(catalog, f"{prefix}.instances_max")
    longest = _limit(catalog, f"{prefix}.duration_days_max")
    sizes = block_sizes(nodes, min(LARGEST_BLOCK, largest))
    cautions: list[str] = []
    if kind == "training-plan":
        if len(sizes) > _limit(catalog, "training_plan.segments_max"):
            cautions.append(
                f"{len(sizes)} segments: a plan has at most two, so several plans are needed"
            )
        if nodes > largest:
            cautions.append(f"the API accepts at most {largest} instances in one plan")
    else:
        most = _limit(catalog, "capacity_block.instances_per_organization_per_date_max")
        if nodes > most:
            raise GoalError(
                f"{nodes} instances at once exceed the limit of {most} in capacity blocks of an "
                "organisation on a date",
                f"{most} instances for longer, a training plan, or AWS's account team",
                field="capacity",
            )
        if len(sizes) > 1:
            cautions.append("several blocks may be in different zones: EFA does not cross zones")
    whole = math.ceil(days - 1e-9)
    spans = _spans(whole, longest, kind)
    purchases: list[Purchase] = []
    starts, handovers = 0, []
    for span in spans:
        if starts:
            handovers.append(starts)
        for size in sorted(set(sizes), reverse=True):
            purchases.append(Purchase(kind, size, span, starts, sizes.count(size)))
        starts += span
    lead = _limit(catalog, f"{prefix}.lead_days_max")
    if starts > lead and handovers and handovers[-1] > lead:
        cautions.append(
            f"the block of day {handovers[-1]} cannot be bought before the run begins: blocks are "
            f"sold at most {lead} days in advance"
        )
    return PurchasePlan(
        tuple(purchases),
        nodes * days,
        sum(purchase.instance_days for purchase in purchases),
        tuple(handovers),
        tuple(cautions),
    )


def _limit(catalog: Catalog, key: str) -> int:
    fact = catalog.limit(key)
    if not isinstance(fact, Known):
        raise GoalError(f"{key} is unknown: {fact.reason}", field="capacity")
    return int(fact.value)


def block_sizes(nodes: int, largest: int = LARGEST_BLOCK) -> list[int]:
    """Powers of two up to `largest` whose sum is `nodes`, the largest first."""
    sizes = [largest] * (nodes // largest)
    rest = nodes % largest
    while rest:
        size = 1 << (rest.bit_length() - 1)
        sizes.append(size)
        rest -= size
    return sizes


def _spans(days: int, longest: int, kind: Advance) -> list[int]:
    spans = [longest] * (days // longest)
    rest = days % longest
    if rest:
        if kind == "capacity-block" and rest > DAILY_UP_TO:
            rest = math.ceil(rest / WEEK) * WEEK
        spans.append(min(rest, longest))
    return spans
