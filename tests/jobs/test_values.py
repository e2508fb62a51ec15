"""Values of options."""

from __future__ import annotations

import math

import pytest

from clusterwright.jobs import values


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("90", 90),
        ("90:30", 90.5),
        ("1:30:00", 90),
        ("2-0", 2880),
        ("2-12:30", 3630),
        ("1-0:0:30", 1440.5),
        ("UNLIMITED", math.inf),
        ("0", math.inf),
    ],
)
def test_minutes(text: str, expected: float) -> None:
    assert values.minutes(text) == expected


@pytest.mark.parametrize("text", ["", "1:xx", "1:2:3:4", "2-", "-5", "1" * 30])
def test_times_that_slurm_refuses(text: str) -> None:
    with pytest.raises(ValueError, match=r".*"):
        values.minutes(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [("4", (4, 4)), ("2-8", (2, 8)), ("1k", (1024, 1024)), ("2,4,8", (2, 8)), ("1-9:2", (1, 9))],
)
def test_nodes(text: str, expected: tuple[int, int]) -> None:
    assert values.nodes(text) == expected


@pytest.mark.parametrize("text", ["", "a", "4-2", "$N", "1.5"])
def test_nodes_that_slurm_refuses(text: str) -> None:
    with pytest.raises(ValueError, match=r".*"):
        values.nodes(text)


def test_memory() -> None:
    assert [values.memory_mib(t) for t in ("2000", "64G", "1T", "2048K", "0")] == [
        2000,
        65536,
        1048576,
        2,
        0,
    ]
    with pytest.raises(ValueError, match="12Q"):
        values.memory_mib("12Q")


def test_resources() -> None:
    assert values.resources("gpu:h100:8,tmpdisk:1") == [("gpu", "h100", 8), ("tmpdisk", "", 1)]
    assert values.resources("gpu") == [("gpu", "", 1)]
    assert values.resources("gpu:8(S:0-1)") == [("gpu", "", 8)]
    assert values.resources("gpu:${N}")[0][2] is None
    assert values.gpus("8") == ("", 8)
    assert values.gpus("h100:4") == ("h100", 4)
    assert values.whole("x") is None


@pytest.mark.parametrize(
    ("text", "tasks"),
    [
        ("7", 1),
        ("0-3", 4),
        ("0-0", 1),
        ("3,3", 1),
        ("1-1%1", 1),
        ("1-10:20", 1),
        ("1,3-5%2", 4),
        ("0-999999999", 10_000),
        ("0-99999999999999999999", 10_000),
        ("[0-3]", 4),
        ("0-5%2,7-9", 9),
        ("5-3", None),
        ("$A", None),
    ],
)
def test_tasks_of_an_array(text: str, tasks: int | None) -> None:
    assert values.array_tasks(text) == tasks


@pytest.mark.parametrize(
    ("text", "ranges"),
    [
        ("7", ((7, 7, 1),)),
        ("[1-2000]", ((1, 2000, 1),)),
        ("[0-9]:3%2", ((0, 9, 3),)),
        ("0-5%2,7-9:2", ((0, 5, 1), (7, 9, 2))),
        ("0-3,, 5", ((0, 3, 1), (5, 5, 1))),
    ],
)
def test_ranges_of_an_array(text: str, ranges: tuple[tuple[int, int, int], ...]) -> None:
    assert values.array_ranges(text) == ranges


@pytest.mark.parametrize("text", ["", "1..10", "5-1", "1-10:0", "-1", "1:2"])
def test_ranges_that_slurm_refuses(text: str) -> None:
    with pytest.raises(ValueError, match=text):
        values.array_ranges(text)


def test_limits_are_tasks() -> None:
    assert values.array_limits("[3-9:4],1") == (1, 7)
    assert values.array_limits("5-1") is None


def test_tasks_at_once() -> None:
    assert values.array_at_once("[0-5%1]") == 1
    assert values.array_at_once("0-5%12,7-9") == 12
    assert values.array_at_once("0-5") is None
