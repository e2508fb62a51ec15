"""Types of a bill: lines with their sources, totals, gates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final, Literal

from clusterwright.cluster_spec.problems import Position

HOURS_PER_MONTH: Final = 730
"""The month of AWS: 365 × 24 / 12 hours."""

STALE_AFTER_DAYS: Final = 90

COMPUTE: Final = "compute"
"""The component of the lines of instances."""

Per = Literal["hour", "month"]

Origin = Literal["user", "live", "remembered", "catalogue"]
"""Origin of a price: the user, AWS's APIs now or at an earlier reading, or the catalogue."""


@dataclass(frozen=True)
class Indication:
    """Another price in the same place, which shows what a line without a price may cost.

    It is part of a scenario (`Bill.scenario`), never of the bill's sums.

    Attributes
    ----------
    basis:
        What the price is, and which price it is not.
    usd:
        Per unit of the line.
    source, date:
        Of the price, as in its source.
    """

    basis: str
    usd: Decimal
    source: str
    date: str


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
    indication:
        For a line without a price: another price in the same place; None without one.
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
    indication: Indication | None = None

    @property
    def known(self) -> bool:
        """Whether the amount is known; nothing costs nothing, whatever the price is."""
        return self.quantity == 0 or (
            self.quantity is not None and self.unit_price_usd is not None
        )

    @property
    def effect(self) -> str | None:
        """The effect of an unknown line on the total."""
        return None if self.known else "adds to the total, which is a lower bound without it"

    @property
    def amount_usd(self) -> Decimal | None:
        """Per hour or month, according to `per`."""
        if self.quantity == 0:
            return Decimal(0)
        if self.quantity is None or self.unit_price_usd is None:
            return None
        return self.quantity * self.unit_price_usd

    @property
    def hourly_usd(self) -> Decimal | None:
        return self._per_hour(self.amount_usd)

    @property
    def monthly_usd(self) -> Decimal | None:
        return self._per_month(self.amount_usd)

    @property
    def indicative_amount_usd(self) -> Decimal | None:
        """Like `amount_usd`, at the price of the indication where the price is unknown."""
        amount = self.amount_usd
        if amount is not None or self.quantity is None or self.indication is None:
            return amount
        return self.quantity * self.indication.usd

    @property
    def indicative_hourly_usd(self) -> Decimal | None:
        return self._per_hour(self.indicative_amount_usd)

    @property
    def indicative_monthly_usd(self) -> Decimal | None:
        return self._per_month(self.indicative_amount_usd)

    def _per_hour(self, amount: Decimal | None) -> Decimal | None:
        return amount if amount is None or self.per == "hour" else amount / HOURS_PER_MONTH

    def _per_month(self, amount: Decimal | None) -> Decimal | None:
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
class Scenario:
    """Sums of the known lines and of the indications of lines without a price.

    Attributes
    ----------
    hourly_usd, monthly_usd, run_usd:
        As in `Total`; they are no lower bound and no quote.
    lines:
        The lines that are in the sums at the price of their indication.
    without:
        Lines of instances that have neither a price nor an indication.
    """

    hourly_usd: Decimal
    monthly_usd: Decimal
    run_usd: Decimal | None
    lines: tuple[Line, ...]
    without: tuple[Line, ...]


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

    `total` and `scenario` are of the whole cluster; `groups` are those with a larger `max_count`.
    """

    groups: tuple[str, ...]
    total: Total
    scenario: Scenario | None = None


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
        hourly, monthly, run = self._sums([(line.per, line.amount_usd) for line in self.lines])
        return Total(hourly, monthly, run, len(self.unknown))

    @property
    def unpriced_instances(self) -> tuple[Line, ...]:
        """Lines of instances without a price."""
        return tuple(line for line in self.unknown if line.component == COMPUTE)

    @property
    def scenario(self) -> Scenario | None:
        """The sums with indications; None if every line of instances has a price."""
        missing = self.unpriced_instances
        if not missing:
            return None
        amounts = [(line.per, line.indicative_amount_usd) for line in self.lines]
        return Scenario(
            *self._sums(amounts),
            tuple(line for line in self.unknown if line.indicative_amount_usd is not None),
            tuple(line for line in missing if line.indicative_amount_usd is None),
        )

    def _sums(
        self, amounts: Sequence[tuple[Per, Decimal | None]]
    ) -> tuple[Decimal, Decimal, Decimal | None]:
        """Per hour, per month and per run; amounts that are None count as 0."""
        # Hours and months are summed separately, so that sums of exact products stay exact.
        per_hour = sum((usd or Decimal(0) for per, usd in amounts if per == "hour"), Decimal(0))
        per_month = sum((usd or Decimal(0) for per, usd in amounts if per == "month"), Decimal(0))
        hourly = per_hour + per_month / HOURS_PER_MONTH
        monthly = per_hour * HOURS_PER_MONTH + per_month
        if self.run_hours is None:
            return hourly, monthly, None
        run = per_hour * self.run_hours + per_month * self.run_hours / HOURS_PER_MONTH
        return hourly, monthly, run + self.paid_beyond_run_usd

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
