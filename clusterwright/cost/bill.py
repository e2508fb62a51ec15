"""A bill: lines with their sources, a total that says what it leaves out, gates. Result types."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Final, Literal

from clusterwright.spec.problems import Position

HOURS_PER_MONTH: Final = 730
"""AWS's own month, 365 × 24 / 12."""

STALE_AFTER_DAYS: Final = 90

Per = Literal["hour", "month"]


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

    @property
    def unknown(self) -> tuple[Line, ...]:
        return tuple(line for line in self.lines if not line.known)

    @property
    def stale(self) -> tuple[Line, ...]:
        """Lines whose price is old; the user's own rates are the user's to judge."""
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
        return Total(hourly, monthly, run, len(self.unknown))


def _amount(line: Line) -> Decimal:
    amount = line.amount_usd
    assert amount is not None
    return amount
