"""What counts against an instance, whatever scheduler shows it."""

from __future__ import annotations

from typing import Any

import pytest
from clusterwright_common import histories, lemon
from clusterwright_common.histories import Look

NOW = 1_795_420_800.0
DAY = 86_400.0
FAULTY = Look("a", "i-a", boot="1", remedy="reboot", reason="xid 79", is_available=False)


def after(*steps: tuple[float, Look]) -> lemon.Book:
    """The book after looks at one node, each at a number of days."""
    book: lemon.Book = {}
    seen: dict[str, dict[str, Any]] = {}
    for days, look in steps:
        book, seen = histories.noted(
            book,
            seen,
            [look],
            NOW + days * DAY,
            count=1,
            has_rebooted=lambda before, now: before != now,
        )
    return book


def test_a_fault_is_one_until_it_is_over() -> None:
    healthy = Look("a", "i-a", boot="1")
    book = after((0, FAULTY), (1, FAULTY), (2, healthy), (3, FAULTY))
    kinds = [one.kind for one in lemon.history(book, "a")]
    assert kinds == ["drained", "resumed", "drained"]


def with_test(run: str, verdict: str, boot: str = "1", action: str = "reboot") -> Look:
    test = {"run": run, "verdict": verdict, "action": action, "reason": "pairs: slow"}
    return Look("a", "i-a", boot=boot, test=test)


@pytest.mark.parametrize(
    ("looks", "kinds"),
    [
        ([with_test("1", "rejected"), with_test("2", "rejected")], ["rejected"]),
        (
            [with_test("1", "rejected"), with_test("2", "unknown"), with_test("3", "rejected")],
            ["rejected"],
        ),
        (
            [with_test("1", "rejected"), with_test("2", "accepted"), with_test("3", "rejected")],
            ["rejected", "accepted", "rejected"],
        ),
        (
            [with_test("1", "rejected"), with_test("2", "rejected", boot="2")],
            ["rejected", "rebooted", "rejected"],
        ),
        (
            [
                with_test("1", "rejected"),
                with_test("1", "rejected", "2"),
                with_test("2", "rejected", "2"),
            ],
            ["rejected", "rebooted", "rejected"],
        ),
        ([with_test("1", "rejected", action="report"), with_test("2", "rejected")], ["rejected"]),
    ],
)
def test_a_boot_that_is_rejected_again_and_again_has_one_fault(
    looks: list[Look], kinds: list[str]
) -> None:
    book = after(*enumerate(looks))
    assert [one.kind for one in lemon.history(book, "a")] == kinds


def test_a_boot_that_is_not_known_is_no_reboot() -> None:
    unknown = Look("a", "i-a")
    book = after((0, FAULTY), (0.1, unknown), (0.2, Look("a", "i-a", boot="1")))
    assert "rebooted" not in [one.kind for one in lemon.history(book, "a")]
    book = after((0, FAULTY), (0.1, unknown), (0.2, Look("a", "i-a", boot="2")))
    assert [one.kind for one in lemon.history(book, "a")][-1] == "rebooted"


@pytest.mark.parametrize(
    ("remedy", "state", "wanted"),
    [
        ("reset", None, "reboot"),
        ("replace", None, "replace"),
        (None, {"state": "rejected", "action": "replace"}, "replace"),
        (None, {"state": "rejected", "action": "report"}, None),
        (None, {"state": "accepted", "action": "reboot"}, None),
        (None, None, None),
    ],
)
def test_what_a_node_needs_now(
    remedy: str | None, state: dict[str, str] | None, wanted: str | None
) -> None:
    assert histories.wanted_of(remedy, state) == wanted


def test_what_is_published_of_an_instance() -> None:
    book = after((0, FAULTY))
    assert histories.published(book, "a", "i-b", None, NOW) is None
    found = histories.published(book, "a", "i-a", "reboot", NOW)
    assert found is not None
    assert (found["advice"], found["is_lemon"]) == ("reboot", False)
    healthy = histories.published(book, "a", "i-a", None, NOW)
    assert healthy is not None
    assert (healthy["advice"], healthy["reason"]) == ("none", "")
