"""Days beside those of Cost Explorer."""

from __future__ import annotations

import datetime as dt

import pytest

from clusterwright.goodput.results import Day, Spent, SpentDay, SpentTag
from clusterwright.goodput.spent_days import MAY_CHANGE, NOT_YET, NOTHING, DaySpending, beside

TODAY = dt.date(2026, 11, 20)
TAG = SpentTag("tag", "dev", "Active")
FOUND = DaySpending(110.0, 125.0, estimated=False)


def day(age: int, *, hours: float = 24.0, usd: float | None = 100.0) -> Day:
    date = TODAY - dt.timedelta(days=age)
    return Day(date, hours, 48.0, 24.0, 24.0, usd, 50.0, 50.0)


def one(own: Day, found: DaySpending | None = FOUND) -> SpentDay:
    (made,) = beside([own], {} if found is None else {own.date: found}, TODAY)
    return made


def test_a_whole_day_is_compared() -> None:
    made = one(day(5))
    assert (made.usd, made.instances_usd, made.cluster_usd) == (100, 110, 125)
    assert (made.difference_usd, made.note, made.estimated) == (10, "", False)


@pytest.mark.parametrize(("age", "known"), [(-1, False), (0, False), (1, True), (2, True)])
def test_the_last_days_are_not_complete(age: int, known: bool) -> None:
    made = one(day(age))
    assert (made.instances_usd is not None) is known
    assert made.note == (MAY_CHANGE if known else NOT_YET)
    assert (made.difference_usd is not None) is known


@pytest.mark.parametrize(("age", "usd"), [(1, None), (2, None), (3, 0.0), (30, 0.0)])
def test_days_without_cost_are_not_compared(age: int, usd: float | None) -> None:
    made = one(day(age), None)
    assert (made.instances_usd, made.cluster_usd) == (usd, usd)
    assert made.note == (NOT_YET if usd is None else NOTHING)
    assert made.difference_usd is None


def test_a_part_of_a_day_is_not_compared() -> None:
    made = one(day(5, hours=18.0), DaySpending(110.0, 125.0, estimated=True))
    assert (made.instances_usd, made.difference_usd, made.estimated) == (110, None, True)
    assert made.note == "estimated, ours is 18.0 of 24 hours"


def test_an_unknown_rate_leaves_the_difference_unknown() -> None:
    made = one(day(5, usd=None))
    assert (made.usd, made.instances_usd, made.difference_usd) == (None, 110, None)


def test_the_total_has_only_days_that_can_be_compared() -> None:
    own = [day(6, hours=12.0), day(5), day(4), day(0)]
    days = beside(own, {each.date: FOUND for each in own}, TODAY)
    total = Spent(TAG, days, None, ()).total
    assert (total.days, total.usd, total.instances_usd, total.cluster_usd) == (2, 200, 220, 250)
    assert total.difference_usd == 20
    nothing = Spent(TAG, days[:1], None, ()).total
    assert (nothing.days, nothing.usd, nothing.difference_usd) == (0, None, None)
