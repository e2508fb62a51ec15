"""Candidates of every instance type, and the choice among them."""

from __future__ import annotations

import datetime as dt
from typing import Any, Literal

import pytest

from clusterwright.catalog import load_catalog
from clusterwright.sizing.errors import GoalError
from clusterwright.sizing.estimate import plan
from clusterwright.sizing.goal import parse
from clusterwright.sizing.plan_types import Plan
from clusterwright.sizing.sweep import plan_anywhere, smallest_in_time, sweep

CATALOG = load_catalog()


TODAY = dt.date(2026, 11, 21)


def planned(**goal: Any) -> Plan:
    return plan(parse(goal), CATALOG, today=TODAY)


def test_every_type_of_several_nodes_has_days_without_efa() -> None:
    found = plan_anywhere(parse({"model": "llama3-70b", "tokens": "15T"}), CATALOG)
    several = [c for c in found.candidates if c.infeasible is None and c.nodes > 1]
    assert len(several) > 5
    for candidate in several:
        off, days = candidate.efa_off, candidate.days
        assert off is not None
        assert days is not None
        assert off.days is not None
        assert off.days.p50 >= days.p50
        assert (candidate.hardware.has_efa is False) == (off.reason is not None)


def test_types_of_unknown_offering_are_not_ranked_first() -> None:
    goal = {"model": "llama3-70b", "tokens": "15T", "region": "ap-northeast-1"}
    found = plan_anywhere(parse(goal), CATALOG)
    assert found.chosen.unknown_offering is None
    unsure = next(c for c in found.candidates if c.hardware.accelerator == "GB200")
    assert unsure.unknown_offering is not None
    assert "not ranked before" in unsure.notes[-1]
    refused = [c.infeasible for c in found.candidates if c.infeasible]
    assert any(
        "not offered in ap-northeast-1" in text and "it is offered in" in text for text in refused
    )
    named = planned(
        **{**goal, "cluster": {"instance_type": "p6e-gb200.36xlarge", "nodes": 144}},
    )
    assert any("whether ap-northeast-1 offers p6e-gb200" in text for text in named.warnings)
    # No type that is known to be offered finishes in time.
    late = plan_anywhere(parse({**goal, "region": "eu-west-1", "deadline": "20d"}), CATALOG)
    assert any("whether eu-west-1 offers" in text for text in late.warnings)


def test_a_sweep_tries_every_type_with_reasons() -> None:
    found = sweep(parse({"model": "llama3-70b", "tokens": "15T", "region": "us-west-2"}), CATALOG)
    names = {candidate.hardware.name for candidate in found}
    assert {"p5.48xlarge", "p6-b200.48xlarge", "trn1.32xlarge", "g6e.48xlarge"} <= names
    assert all((c.infeasible is None) == (c.days is not None) for c in found)
    assert any("not offered in us-west-2" in (c.infeasible or "") for c in found)
    for candidate in smallest_in_time(found, 90).values():
        assert candidate.days is not None


def test_ultraserver_must_be_complete() -> None:
    found = sweep(
        parse({"model": "llama3-70b", "tokens": "15T"}),
        CATALOG,
        types=["p6e-gb200.36xlarge", "trn2u.48xlarge"],
    )
    by_type = {"p6e-gb200.36xlarge": 72, "trn2u.48xlarge": 64}
    assert found
    assert all(c.accelerators % by_type[c.hardware.name] == 0 for c in found)


def test_smallest_cluster_in_time_is_chosen() -> None:
    goal = parse(
        {"model": "llama3-70b", "tokens": "15T", "deadline": "90d", "region": "us-east-1"}
    )
    found = plan_anywhere(goal, CATALOG, today=TODAY)
    assert found.estimate.days.p50 <= 90
    others = [c for c in found.candidates if not c.chosen and c.days and c.days.p50 <= 90]
    assert others
    assert all(c.accelerators >= found.estimate.accelerators for c in others)
    assert all(c.infeasible or c.notes for c in found.candidates)
    with pytest.raises(GoalError, match="no instance type reaches"):
        plan_anywhere(parse({"params": "50T", "tokens": "500T"}), CATALOG, today=TODAY)


@pytest.mark.parametrize("at", ["p50", "p90"])
def test_no_smaller_cluster_of_the_chosen_type_finishes_in_time(at: Literal["p50", "p90"]) -> None:
    goal = {"params": "70B", "tokens": "1T", "deadline": "30d", "deadline_at": at}
    found = plan_anywhere(parse(goal), CATALOG)
    chosen = found.chosen
    assert chosen.days is not None
    assert chosen.days.at(at) <= 30
    assert any(f"finish in 30 days at {at.upper()}" in text for text in found.warnings)
    assert chosen.nodes & (chosen.nodes - 1), "not a power of two"
    for nodes in range(max(1, chosen.nodes // 2), chosen.nodes):
        cluster = {"instance_type": chosen.hardware.name, "nodes": nodes}
        assert planned(**goal, cluster=cluster).estimate.days.at(at) > 30


def test_a_deadline_at_p90_needs_more_nodes() -> None:
    goal = {"params": "70B", "tokens": "1T", "deadline": "30d"}
    median = plan_anywhere(parse(goal), CATALOG)
    sure = plan_anywhere(parse({**goal, "deadline_at": "P90"}), CATALOG)
    assert sure.chosen.nodes > median.chosen.nodes
    assert not any("is missed" in text for text in sure.warnings)
    assert any("is missed at P90" in text for text in median.warnings)
