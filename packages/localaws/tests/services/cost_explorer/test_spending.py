"""The world's spending, filters and groups."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import Any

import pytest

from clusterwright_localaws.core.errors import AwsError
from clusterwright_localaws.core.runtime import Runtime
from clusterwright_localaws.services.cost_explorer.spending import (
    Spent,
    group_key,
    matcher,
    spending,
)
from clusterwright_localaws.worlds.model import World

DAY = dt.timedelta(days=1)
OWN, MANAGEMENT, OTHER = "111122223333", "444455556666", "777788889999"


def today() -> dt.date:
    """The current day: tests that begin before midnight pass after it."""
    return dt.datetime.now(dt.UTC).date()


def spent(**tags: str) -> Spent:
    return Spent(
        today(), Decimal(1), Decimal(0), {"SERVICE": "Amazon FSx", "REGION": "us-east-1"}, tags
    )


def seed(**more: Any) -> dict[str, Any]:
    return {"service": "Amazon FSx", "usd_per_day": "2", "start": "-2d", "end": "+2d", **more}


def entries(account: str, first: int, last: int, *seeds: dict[str, Any]) -> list[Spent]:
    world = World.model_validate({"account": MANAGEMENT, "costs": list(seeds)})
    return list(spending(Runtime(world), account, today() + first * DAY, today() + last * DAY))


def test_each_day_between_start_and_end_is_one_entry() -> None:
    found = entries(OWN, -9, 9, seed())
    assert [entry.day for entry in found] == [today() + n * DAY for n in (-2, -1, 0, 1)]
    assert {entry.usd for entry in found} == {Decimal(2)}
    assert [entry.day for entry in entries(OWN, 0, 1, seed())] == [today()]
    assert entries(OWN, 5, 9, seed()) == []


def test_costs_without_an_account_are_the_callers() -> None:
    (found,) = entries(OWN, 0, 1, seed(region="eu-west-1"))
    assert found.dimensions["LINKED_ACCOUNT"] == OWN
    assert found.dimensions["REGION"] == "eu-west-1"


def test_costs_of_an_account_are_seen_by_it_and_by_the_worlds_account() -> None:
    theirs = seed(account=OTHER)
    assert [len(entries(account, 0, 1, theirs)) for account in (OWN, OTHER, MANAGEMENT)] == [
        0,
        1,
        1,
    ]


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        (None, True),
        ({"Dimensions": {"Key": "SERVICE", "Values": ["Amazon FSx"]}}, True),
        ({"Dimensions": {"Key": "SERVICE", "Values": ["amazon fsx"]}}, False),
        (
            {
                "Dimensions": {
                    "Key": "SERVICE",
                    "Values": ["amazon"],
                    "MatchOptions": ["STARTS_WITH", "CASE_INSENSITIVE"],
                }
            },
            True,
        ),
        (
            {"Dimensions": {"Key": "SERVICE", "Values": ["F"], "MatchOptions": ["CONTAINS"]}},
            True,
        ),
        (
            {"Dimensions": {"Key": "SERVICE", "Values": ["FSx"], "MatchOptions": ["ENDS_WITH"]}},
            True,
        ),
        ({"Tags": {"Key": "team", "Values": ["a"]}}, True),
        ({"Tags": {"Key": "other", "Values": [""]}}, True),
        ({"Tags": {"Key": "team", "MatchOptions": ["ABSENT"]}}, False),
        ({"CostCategories": {"Key": "c", "Values": ["v"]}}, False),
        ({"Not": {"Tags": {"Key": "team", "Values": ["a"]}}}, False),
        (
            {
                "Or": [
                    {"Tags": {"Key": "team", "Values": ["b"]}},
                    {"Dimensions": {"Key": "REGION", "Values": ["us-east-1"]}},
                ]
            },
            True,
        ),
        (
            {
                "And": [
                    {"Tags": {"Key": "team", "Values": ["b"]}},
                    {"Dimensions": {"Key": "REGION", "Values": ["us-east-1"]}},
                ]
            },
            False,
        ),
    ],
)
def test_filters(expression: dict[str, Any] | None, expected: bool) -> None:
    assert matcher(expression)(spent(team="a")) is expected


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        ({"Tags": {"Key": "a"}, "Dimensions": {"Key": "b"}}, "more than one roots"),
        ({"And": [{"Tags": {"Key": "a"}}]}, "The And expression needs two expressions"),
        ({"Tags": {"Values": ["a"]}}, "The Tags expression needs a Key"),
    ],
)
def test_filters_that_are_refused(expression: dict[str, Any], message: str) -> None:
    with pytest.raises(AwsError, match=message) as caught:
        matcher(expression)
    assert caught.value.code == "ValidationException"


def test_groups() -> None:
    groups = [
        {"Type": "DIMENSION", "Key": "SERVICE"},
        {"Type": "DIMENSION", "Key": "AZ"},
        {"Type": "TAG", "Key": "team"},
        {"Type": "TAG", "Key": "other"},
        {"Type": "COST_CATEGORY", "Key": "c"},
    ]
    assert group_key(spent(team="a"), groups) == ("Amazon FSx", "No Az", "team$a", "other$", "c$")
