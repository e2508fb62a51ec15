"""A bill: lines with their sources, a total that says what it leaves out, gates. Result types."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Final, Literal

from clusterwright.cluster_spec.problems import Position

HOURS_PER_MONTH: Final = 730
"""AWS's own month, 365 × 24 / 12."""

STALE_AFTER_DAYS: Final = 90

Per = Literal["hour", "month"]

Origin = Literal["user", "live", "catalogue"]
"""Who stated a price: the user, AWS's APIs just now, or the dated catalogue."""


@dataclass(frozen=True, kw_only=True)
class Line:
    """One thing that costs money.

    Attributes
    ----------
    quantity:
        In `unit`, per hour or per month as `per` says; None where it depends on use.
    unit:
        What one price pays for: `instance-hour`, `GB-month`.
    unit_price_usd:
        None where no source and no rate of the user's states it.
    source, date:
        Of the price, as its source gives them; None without a price.
    note:
        What a reader must know about it.
    reason:
        Why the price or the quantity is not known; None where both are.
    rate:
        The entry of the user's prices that would settle an unknown price, as YAML.
    stale:
        The price is older than 90 days, or may be because its date is not known.
    origin, age_days:
        Who states the price, and how many days ago; None without a price, and the age where its
        date is not known.
    group:
        The compute group that the line belongs to.
    by_use:
        The quantity depends on use: nothing of it is charged while nothing runs.
    releasable:
        Ends when the group's count becomes 0: an instance by the hour, its volume. Capacity that
        is paid in advance does not.
    """

    component: str
    item: str
    quantity: Decimal | None
    unit: str
    per: Per
    unit_price_usd: Decimal | None
    source: str | None
    date: str | None
    path: str
    note: str | None = None
    reason: str | None = None
    rate: str | None = None
    stale: bool = False
    user_rate: bool = False
    origin: Origin | None = None
    age_days: int | None = None
    group: str | None = None
    by_use: bool = False
    releasable: bool = False

    @property
    def known(self) -> bool:
        return self.quantity is not None and self.unit_price_usd is not None

    @property
    def effect(self) -> str | None:
        """What an unknown line does to the total."""
        return None if self.known else "adds to the total, which is a lower bound without it"

    @property
    def amount_usd(self) -> Decimal | None:
        """Per hour or month, as `per` says."""
        if self.quantity is None or self.unit_price_usd is None:
            return None
        return self.quantity * self.unit_price_usd

    @property
    def hourly_usd(self) -> Decimal | None:
        amount = self.amount_usd
        return amount if amount is None or self.per == "hour" else amount / HOURS_PER_MONTH

    @property
    def monthly_usd(self) -> Decimal | None:
        amount = self.amount_usd
        return amount if amount is None or self.per == "month" else amount * HOURS_PER_MONTH


@dataclass(frozen=True)
class Total:
    """Sums of the known lines. `run_usd` is None without the hours of a run."""

    hourly_usd: Decimal
    monthly_usd: Decimal
    run_usd: Decimal | None
    unknown_lines: int

    @property
    def at_least(self) -> bool:
        """Whether lines are left out, so that the sums are lower bounds."""
        return self.unknown_lines > 0


@dataclass(frozen=True)
class Unused:
    """Capacity that is paid for and does no work. It is part of the total, not added to it.

    Attributes
    ----------
    why:
        In words: spares, more bought than used, bought for longer than the run.
    instances:
        How many, where they can be counted.
    hourly_usd:
        As long as the cluster stands; None where no price is known, or where it is no matter of
        hours (`run_usd` then).
    run_usd:
        Over the run; None without its hours.
    """

    group: str | None
    why: str
    instances: Decimal | None
    hourly_usd: Decimal | None
    run_usd: Decimal | None
    known: bool = True


@dataclass(frozen=True)
class Prepaid:
    """A training plan or a capacity block that was bought: paid once, used or not.

    `instances`, `hours` and `upfront_usd` as the purchase says; `start` and `end` as days, None
    where it does not say.
    """

    id: str
    instances: int
    hours: Decimal
    upfront_usd: Decimal
    start: str | None
    end: str | None
    source: str
    date: str
    origin: Origin

    @property
    def usd_per_instance_hour(self) -> Decimal:
        return self.upfront_usd / (self.instances * self.hours)


@dataclass(frozen=True)
class Share:
    """One kind of capacity within a blend."""

    kind: str
    instances: int
    usd_per_instance_hour: Decimal | None


@dataclass(frozen=True)
class Blend:
    """A group that mixes kinds of capacity: what an instance costs on average, and at worst.

    `usd_per_instance_hour` is None where the price of a share is not known. `fallbacks` has, for
    each kind that the group may turn to, the rate if all instances came from it.
    """

    group: str
    instances: int
    shares: tuple[Share, ...]
    fallbacks: tuple[Share, ...]

    @property
    def usd_per_instance_hour(self) -> Decimal | None:
        hourly = self.hourly_usd
        return hourly / self.instances if hourly is not None and self.instances else None

    @property
    def hourly_usd(self) -> Decimal | None:
        found = Decimal(0)
        for share in self.shares:
            if share.usd_per_instance_hour is None:
                return None
            found += share.instances * share.usd_per_instance_hour
        return found


@dataclass(frozen=True)
class Idle:
    """What the cluster costs while no job runs; sums of known lines.

    `hourly_usd` is what stands whatever runs (nothing that is charged by use). Of that,
    `released_usd` per hour ends when every compute group is brought to 0 instances. `outside_run`
    is what a month costs beyond the run, None without a run that is shorter than a month.
    """

    hourly_usd: Decimal
    released_hourly_usd: Decimal
    unknown_lines: int
    outside_run_usd: Decimal | None

    @property
    def at_zero_hourly_usd(self) -> Decimal:
        return self.hourly_usd - self.released_hourly_usd


@dataclass(frozen=True)
class Growth:
    """What the cluster costs with every group at its `max_count`: the most that it may cost.

    `total` is that of the whole cluster then; `groups` are those that grow.
    """

    groups: tuple[str, ...]
    total: Total


@dataclass(frozen=True)
class Gate:
    """A budget of the spec against the total.

    `fail` where the known part is above the limit; `unknown` where it is not, but lines are
    unknown.
    """

    path: str
    position: Position | None
    limit_usd: Decimal
    known_usd: Decimal | None
    status: Literal["pass", "fail", "unknown"]
    message: str


@dataclass(frozen=True)
class Bill:
    environment: str
    region: str
    platform: str
    run_hours: Decimal | None
    lines: tuple[Line, ...]
    prepaid: tuple[Prepaid, ...] = ()
    unused: tuple[Unused, ...] = ()
    blends: tuple[Blend, ...] = ()
    warnings: tuple[str, ...] = ()
    paid_beyond_run_usd: Decimal = Decimal(0)
    """What was paid in advance for hours that lie outside the run: part of the run's cost."""

    run_hours_from: str | None = None
    """Where the run's hours were read: `--hours`, `run.hours`, or the plan beside the spec."""

    growth: Growth | None = None
    """None where no group has a `max_count` above its `count`."""

    @property
    def unknown(self) -> tuple[Line, ...]:
        return tuple(line for line in self.lines if not line.known)

    @property
    def stale(self) -> tuple[Line, ...]:
        """Lines whose price is old, or of no date; the user's own rates included."""
        return tuple(line for line in self.lines if line.stale)

    @property
    def total(self) -> Total:
        known = [line for line in self.lines if line.known]
        # Hours and months are summed apart, so that no division blurs a sum of exact products.
        per_hour = sum((_amount(line) for line in known if line.per == "hour"), Decimal(0))
        per_month = sum((_amount(line) for line in known if line.per == "month"), Decimal(0))
        hourly = per_hour + per_month / HOURS_PER_MONTH
        monthly = per_hour * HOURS_PER_MONTH + per_month
        run = None
        if self.run_hours is not None:
            run = per_hour * self.run_hours + per_month * self.run_hours / HOURS_PER_MONTH
            run += self.paid_beyond_run_usd
        return Total(hourly, monthly, run, len(self.unknown))

    @property
    def idle(self) -> Idle:
        standing = [line for line in self.lines if not line.by_use]
        known = [line for line in standing if line.known]
        hourly = sum((hourly_of(line) for line in known), Decimal(0))
        released = sum((hourly_of(line) for line in known if line.releasable), Decimal(0))
        outside = None
        if self.run_hours is not None and self.run_hours < HOURS_PER_MONTH:
            outside = hourly * (HOURS_PER_MONTH - self.run_hours)
        return Idle(hourly, released, len(standing) - len(known), outside)


def hourly_of(line: Line) -> Decimal:
    """USD per hour of a known line."""
    hourly = line.hourly_usd
    assert hourly is not None
    return hourly


def _amount(line: Line) -> Decimal:
    amount = line.amount_usd
    assert amount is not None
    return amount
