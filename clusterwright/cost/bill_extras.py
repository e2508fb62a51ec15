"""Additions to a bill: exchange rate, spending comparison, saving of a deletion."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Final, Literal

from clusterwright.cluster_spec.problems import Path
from clusterwright.cost.bill import STALE_AFTER_DAYS, Line

_WITHOUT_CENTS: Final = frozenset({"CLP", "ISK", "JPY", "KRW", "VND"})


@dataclass(frozen=True)
class Exchange:
    """One USD was worth `rate` of the currency (ISO 4217 code) on `date`."""

    currency: str
    rate: Decimal
    date: dt.date
    age_days: int

    @property
    def stale(self) -> bool:
        return self.age_days > STALE_AFTER_DAYS

    @property
    def digits(self) -> int:
        """Decimals of amounts in the currency."""
        return 0 if self.currency in _WITHOUT_CENTS else 2

    def of(self, usd: Decimal | None) -> Decimal | None:
        """An amount in the currency; None if the dollars are unknown."""
        return None if usd is None else usd * self.rate


@dataclass(frozen=True)
class Spending:
    """Spending by tag in Cost Explorer from `start`, before `end`; USD, usage only.

    Attributes
    ----------
    by_service:
        Spending with the tag.
    untagged_by_service:
        Spending of the account without the tag, which the comparison excludes.
    days_with_cost:
        Days with cost under the tag; `last_day` is the last of them.
    estimated:
        Whether Cost Explorer marks a part as estimated.
    tag_status:
        `Active`, `Inactive`, `unknown to Cost Explorer`, or None if not available.
    notes:
        Requests that failed, in words.
    days:
        Spending with the tag by service, of each day that has any.
    estimated_days:
        Those of them that Cost Explorer marks as estimated.
    """

    tag: str
    value: str
    start: dt.date
    end: dt.date
    by_service: Mapping[str, Decimal]
    untagged_by_service: Mapping[str, Decimal] | None
    days_with_cost: int
    last_day: dt.date | None
    estimated: bool
    tag_status: str | None
    notes: tuple[str, ...] = field(default=())
    days: Mapping[dt.date, Mapping[str, Decimal]] = field(default_factory=dict)
    estimated_days: frozenset[dt.date] = frozenset()

    @property
    def total_usd(self) -> Decimal:
        return sum(self.by_service.values(), Decimal(0))

    @property
    def untagged_usd(self) -> Decimal | None:
        found = self.untagged_by_service
        return None if found is None else sum(found.values(), Decimal(0))


@dataclass(frozen=True)
class SpendingRow:
    """One family of services: known lines of the bill over the days with cost, and spending.

    `unknown_lines` of the bill are in the spending, but not in `expected_usd`.
    """

    family: str
    expected_usd: Decimal
    actual_usd: Decimal
    unknown_lines: int

    @property
    def difference_usd(self) -> Decimal:
        return self.actual_usd - self.expected_usd


@dataclass(frozen=True)
class SpendingComparison:
    """Rows in the order of the bill, then services without a line, and notes."""

    spending: Spending
    rows: tuple[SpendingRow, ...]
    notes: tuple[str, ...]

    @property
    def expected_usd(self) -> Decimal:
        return sum((row.expected_usd for row in self.rows), Decimal(0))

    @property
    def untagged_usd(self) -> Decimal | None:
        return self.spending.untagged_usd


@dataclass(frozen=True)
class FileSystemRef:
    """A file system of the spec."""

    name: str
    mount_path: str
    kind: Literal["lustre", "openzfs"]
    path: Path
    existing: bool
    existing_id: str | None = None
    """Of an existing Lustre file system outside the stacks."""


@dataclass(frozen=True)
class Saving:
    """Lines of the bill that end with a file system, and sums of the known ones.

    An existing file system outside the stacks has no line: its saving is unknown.
    """

    storage: FileSystemRef
    lines: tuple[Line, ...]

    @property
    def hourly_usd(self) -> Decimal | None:
        if self.storage.existing:
            return None
        return sum((line.hourly_usd or Decimal(0) for line in self.lines), Decimal(0))

    @property
    def monthly_usd(self) -> Decimal | None:
        if self.storage.existing:
            return None
        return sum((line.monthly_usd or Decimal(0) for line in self.lines), Decimal(0))

    @property
    def unknown_lines(self) -> int:
        return sum(not line.known for line in self.lines)


@dataclass(frozen=True)
class CostExtras:
    """Additions to a bill; None where they were not requested.

    Attributes
    ----------
    live:
        If AWS was asked: what it did not answer, in sentences.
    remembered_in:
        The file that keeps the prices that AWS stated.
    asked_for_prices:
        Whether AWS was asked for the prices of this bill.
    """

    exchange: Exchange | None = None
    saving: Saving | None = None
    comparison: SpendingComparison | None = None
    live: tuple[str, ...] | None = None
    remembered_in: str | None = None
    asked_for_prices: bool = False
