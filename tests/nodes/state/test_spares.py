"""Spare nodes: which nodes are reserved, and with which commands."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from clusterwright_state.spares import Spares, keep, reserved_nodes
from hypothesis import given
from hypothesis import strategies as st

from tests.nodes.metrics.fake_node import Machine

GROUP = Spares("workers", 1)
NAME = "clusterwright_spares_workers"


def node(name: str, *states: str, group: str = "workers", reservation: str | None = None) -> Any:
    return {
        "name": name,
        "group": group,
        "states": list(states) or ["IDLE"],
        "reservation": reservation,
    }


@pytest.mark.parametrize(
    ("nodes", "reserved", "expected"),
    [
        ([node("a"), node("b"), node("c")], [], ["a"]),
        ([node("a"), node("b"), node("c", reservation=NAME)], ["c"], ["c"]),
        ([node("a", "ALLOCATED"), node("b", "MIXED"), node("c")], [], ["c"]),
        ([node("a", "ALLOCATED"), node("b", "MIXED")], [], ["a"]),
        # A lost node releases the spare.
        ([node("a", "DOWN", "NOT_RESPONDING"), node("b", reservation=NAME)], ["b"], []),
        ([node("a", "IDLE", "DRAIN"), node("b"), node("c", reservation=NAME)], ["c"], []),
        # The spare itself is lost: the others are for jobs.
        ([node("a"), node("b"), node("c", "DOWN", reservation=NAME)], ["c"], []),
        # HyperPod's deep health check has reserved a node.
        ([node("a", "IDLE", "MAINTENANCE", reservation="hc"), node("b")], [], []),
        ([node("a", reservation="of-a-user"), node("b"), node("c")], [], []),
        ([node("a", group="others"), node("b", group="others")], [], []),
        ([node("a"), node("b", "FUTURE")], [], ["a"]),
    ],
)
def test_reserved_nodes(nodes: list[Any], reserved: list[str], expected: list[str]) -> None:
    assert reserved_nodes(GROUP, nodes, reserved) == expected


STATES = st.sampled_from([("IDLE",), ("ALLOCATED",), ("DOWN",), ("IDLE", "DRAIN"), ("MIXED",)])


@given(st.lists(STATES, max_size=12), st.integers(0, 12))
def test_jobs_always_have_all_nodes_but_the_spares_if_so_many_are_available(
    states: list[tuple[str, ...]], spare_count: int
) -> None:
    nodes = [node(f"n{number}", *each) for number, each in enumerate(states)]
    available = sum(not {"DOWN", "DRAIN"}.intersection(each) for each in states)
    found = reserved_nodes(Spares("workers", spare_count), nodes, [])
    for_jobs = available - len(found)
    assert for_jobs == min(available, max(0, len(nodes) - spare_count))
    # The same nodes stay reserved.
    assert reserved_nodes(Spares("workers", spare_count), nodes, found) == found


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    found = Machine(tmp_path)
    found.command("scontrol", f'echo "$*" >> {found.root}/ran; test "$1" != update')
    return found


def commands(machine: Machine) -> list[str]:
    log = machine.root / "ran"
    return log.read_text().splitlines() if log.exists() else []


def test_reservations_are_made_changed_and_deleted(machine: Machine) -> None:
    probe = machine.probe()
    three = [node("a"), node("b"), node("c")]
    assert keep(probe, [GROUP], three, []) == [{"reservation": NAME, "before": [], "after": ["a"]}]
    existing = [{"name": NAME, "nodes": ["a"]}, {"name": "of-a-user", "nodes": ["b"]}]
    assert keep(probe, [GROUP], three, existing) == []
    (failed,) = keep(probe, [Spares("workers", 2)], three, existing)
    assert failed["error"] == "exit code 1"
    lost = [node("a", reservation=NAME), node("b", "DOWN"), node("c")]
    assert keep(probe, [GROUP], lost, existing[:1])[0]["after"] == []
    # The spec has no spares any more.
    assert keep(probe, [], three, existing)[0]["after"] == []
    assert commands(machine) == [
        f"create reservation ReservationName={NAME} Nodes=a StartTime=now Duration=UNLIMITED "
        "Users=root Flags=IGNORE_JOBS",
        f"update ReservationName={NAME} Nodes=a,b",
        f"delete ReservationName={NAME}",
        f"delete ReservationName={NAME}",
    ]


@pytest.mark.parametrize("text", ["workers", "workers=", "workers=two"])
def test_an_invalid_option_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="invalid literal"):
        Spares.parsed(text)
