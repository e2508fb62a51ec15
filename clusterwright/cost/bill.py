"""Types of a bill: lines with their sources, totals, gates."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Final, Literal

from clusterwright.cluster_spec.problems import Position

HOURS_PER_MONTH: Final = 730
"""The month of AWS: 365 × 24 / 12 hours."""

STALE_AFTER_DAYS: Final = 90

Per = Literal["hour", "month"]

Origin = Literal["user", "live", "catalogue"]
"""Origin of a price: the user, AWS's APIs, or the catalogue."""


@dataclass(frozen=True, kw_only=True)
class Line:
    """One line of a bill.

    Attributes
    ----------
    quantity:
        In `unit`, per hour or per month according to `per`; None if it depends on use.
    unit:
        Unit of the price: `instance-hour`, `GB-month`.
    unit_price_usd:
        None if no source and no rate of the user states it.
    source, date:
        Of the price, as in its source; None without a price.
    note:
        Remarks on the line.
    reason:
        Why the price or the quantity is unknown; None if both are known.
    rate:
        The entry of the user's prices for an unknown price, as YAML.
    stale:
        The price is older than 90 days, or its date is unknown.
    origin, age_days:
        Origin and age of the price; None without a price, and the age if its date is unknown.
    group:
        The compute group of the line.
    by_use:
        The quantity depends on use: nothing is charged while nothing runs.
    releasable:
        Not charged when the group's count is 0: instances by the hour, their volumes. Capacity
        paid in advance is always charged.
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
        """The effect of an unknown line on the total."""
        return None if self.known else "adds to the total, which is a lower bound without it"

    @property
    def amount_usd(self) -> Decimal | None:
        """Per hour or month, according to `per`."""
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
        """Whether lines are unknown, so that the sums are lower bounds."""
        return self.unknown_lines > 0


@dataclass(frozen=True)
class Unused:
    """Capacity that is paid for and not used. It is part of the total, not added to it.

    Attributes
    ----------
    why:
        In words: spares, surplus instances, surplus hours.
    instances:
        Number of instances, if known.
    hourly_usd:
        While the cluster exists; None if the price is unknown, or if the cost is not hourly
        (`run_usd` then).
    run_usd:
        Over the run; None if its hours are unknown.
    """

    group: str | None
    why: str
    instances: Decimal | None
    hourly_usd: Decimal | None
    run_usd: Decimal | None
    known: bool = True


@dataclass(frozen=True)
class Prepaid:
    """A purchased training plan or capacity block, paid upfront.

    `instances`, `hours` and `upfront_usd` are of the purchase; `start` and `end` are dates, None
    if unknown.
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
    """A group with several kinds of capacity: average rate of an instance, and fallback rates.

    `usd_per_instance_hour` is None if the price of a share is unknown. `fallbacks` has the rate of
    each fallback kind, if all instances were of that kind.
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
    """Cost of the cluster while no job runs; sums of known lines.

    `hourly_usd` excludes items charged by use. Of it, `released_hourly_usd` is not charged
    when every compute group has 0 instances. `outside_run_usd` is the cost of a month outside the
    run, None unless a run is shorter than a month.
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
    """Cost of the cluster with every group at its `max_count`, its maximum.

    `total` is of the whole cluster; `groups` are those with a larger `max_count`.
    """

    groups: tuple[str, ...]
    total: Total


@dataclass(frozen=True)
class Gate:
    """A budget of the spec, compared with the total.

    `fail` if the known part exceeds the limit; `unknown` if it does not, but lines are unknown.
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
    """Upfront payments for hours after the run, which are part of its cost."""

    run_hours_from: str | None = None
    """Origin of the run's hours: `--hours`, `run.hours`, or the plan beside the spec."""

    growth: Growth | None = None
    """None if no group has a `max_count` above its `count`."""

    @property
    def unknown(self) -> tuple[Line, ...]:
        return tuple(line for line in self.lines if not line.known)

    @property
    def stale(self) -> tuple[Line, ...]:
        """Lines with an old or undated price, including rates of the user."""
        return tuple(line for line in self.lines if line.stale)

    @property
    def total(self) -> Total:
        known = [line for line in self.lines if line.known]
        # Hours and months are summed separately, so that sums of exact products stay exact.
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
