"""States of nodes over time."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from clusterwright_rehearsal.report.timeline import Mark, Span, _natural, began, ended, lanes
from clusterwright_rehearsal.verdict import Phase, Verdict
from packages.rehearsal.tests.report.verdicts import BROKEN, START, boot_events, event, hostile

EMPTY = Verdict(config="x", cluster="x", suite="trixie", slurm=None)


def verdict(*events: dict[str, Any], phases: tuple[Phase, ...] = ()) -> Verdict:
    return dataclasses.replace(EMPTY, timeline=events, phases=phases)


def test_a_node_from_its_creation_to_the_end() -> None:
    (lane,) = lanes(verdict(*boot_events("workers-1"), event(60.0, "booted", "workers-1")))
    assert (lane.node, lane.created, lane.came_up) == ("workers-1", START + 20, START + 29.5)
    assert [(span.state, span.start - START) for span in lane.spans] == [
        ("boot", 20.0),
        ("platform", 22.5),
        ("script", 26.0),
        ("running", 29.5),
    ]
    assert lane.marks == ()


def test_losses_and_replacements_are_marked() -> None:
    lane = next(lane for lane in lanes(BROKEN) if lane.node == "workers-1")
    assert Span("lost", START + 40, START + 48) in lane.spans
    assert [(mark.event, mark.at - START) for mark in lane.marks] == [
        ("lost", 40.0),
        ("replaced", 48.0),
    ]
    failed = next(lane for lane in lanes(BROKEN) if lane.node == "workers-2")
    assert failed.marks == (Mark("failed", START + 28.5, "lustre: /fsx is silent"),)
    assert failed.came_up == START + 28.5


def test_a_deleted_node_ends() -> None:
    (lane,) = lanes(
        verdict(
            event(1.0, "created", "a-1"),
            event(3.0, "deleted", "a-1"),
            event(9.0, "unknown", "a-1"),
        )
    )
    assert lane.spans == (Span("boot", START + 1, START + 3),)
    assert lane.came_up is None


def test_events_are_sorted_by_time_and_nodes_by_creation_and_number() -> None:
    found = lanes(
        verdict(
            event(5.0, "booted", "a-10"),
            event(1.0, "created", "a-10"),
            event(1.0, "created", "a-9"),
            event(0.5, "created", "z-1"),
        )
    )
    assert [lane.node for lane in found] == ["z-1", "a-9", "a-10"]
    assert found[2].spans[0] == Span("boot", START + 1, START + 5)


def test_invalid_events_are_ignored() -> None:
    assert [lane.node for lane in lanes(hostile())] == [hostile().nodes[0].name]
    assert lanes(EMPTY) == []


@pytest.mark.parametrize(
    ("found", "first", "last"),
    [
        (EMPTY, None, 0.0),
        (verdict(phases=(Phase("a", 5.0, START),)), START, START + 5),
        (verdict(phases=(Phase("a", 5.0, None),)), None, 0.0),
        (
            verdict(event(-1.0, "created", "a-1"), phases=(Phase("a", 5.0, START),)),
            START - 1,
            START + 5,
        ),
    ],
)
def test_the_whole_time(found: Verdict, first: float | None, last: float) -> None:
    assert (began(found), ended(found)) == (first, last)


@pytest.mark.parametrize(
    ("name", "key"), [("workers-10", ("workers", 10)), ("head", ("head", 0)), ("a-b", ("a-b", 0))]
)
def test_names_are_ordered_by_their_numbers(name: str, key: tuple[str, int]) -> None:
    assert _natural(name) == key
