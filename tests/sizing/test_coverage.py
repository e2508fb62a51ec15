"""Coverage of the planner's interval on published runs."""

from __future__ import annotations

from pathlib import Path

import pytest

import clusterwright
from clusterwright.catalog import load_catalog
from clusterwright.sizing import uncertainty
from clusterwright.sizing.coverage import (
    DEVELOPMENT,
    HELD_OUT,
    Comparison,
    by_kind,
    compare,
    coverage,
    public_runs,
)
from clusterwright.sizing.estimate import plan
from clusterwright.sizing.goal import parse
from clusterwright.sizing.plan_types import Estimate, Quantiles

CATALOG = load_catalog()
KINDS = {"dense", "moe", "small", "very large", "continued"}


@pytest.fixture(scope="module")
def unknown_stack() -> tuple[Comparison, ...]:
    return compare(CATALOG)


@pytest.fixture(scope="module")
def stated_stack() -> tuple[Comparison, ...]:
    return compare(CATALOG, with_stack=True)


def test_every_run_has_a_source_and_a_group() -> None:
    runs = public_runs()
    assert len({run.name for run in runs}) == len(runs) >= 30
    assert all(run.source for run in runs)
    assert {run.group for run in runs} == {DEVELOPMENT, HELD_OUT}
    assert {run.stack for run in runs} == set(uncertainty.STACKS) - {None}
    assert {run.kind for run in runs} == KINDS
    assert {run.kind for run in runs if run.group == HELD_OUT} == KINDS


def test_only_the_evaluation_reads_the_runs() -> None:
    package = Path(clusterwright.__file__).parent
    readers = [
        path.name for path in package.rglob("*.py") if "public_runs.json" in path.read_text()
    ]
    assert readers == ["coverage.py"]
    users = [path.name for path in package.rglob("*.py") if "sizing.coverage" in path.read_text()]
    assert users == []


def held_out(found: tuple[Comparison, ...]) -> list[Comparison]:
    return [row for row in found if row.run.group == HELD_OUT]


def test_the_interval_holds_on_runs_that_were_not_used(
    unknown_stack: tuple[Comparison, ...], stated_stack: tuple[Comparison, ...]
) -> None:
    for found in (unknown_stack, stated_stack):
        result = coverage(held_out(found))
        assert result.runs >= 20
        assert 0.75 <= result.share <= 0.90
        assert result.median_error <= 0.20
        assert 0.85 <= result.bias <= 1.15


def test_the_error_is_that_of_the_guide(unknown_stack: tuple[Comparison, ...]) -> None:
    """docs/explanations/how-a-plan-is-made.md: 15 % where the number of accelerators is stated."""
    stated = [row for row in held_out(unknown_stack) if row.run.accelerators is not None]
    result = coverage(stated)
    assert result.runs == 16
    assert result.median_error < 0.155
    assert coverage(held_out(unknown_stack)).median_error < 0.185


def test_no_kind_of_run_is_biased_by_a_factor(unknown_stack: tuple[Comparison, ...]) -> None:
    found = by_kind(unknown_stack)
    assert set(found) == KINDS
    for kind in ("dense", "moe", "small", "very large"):
        assert 0.7 <= found[kind].bias <= 1.3, kind
        assert found[kind].share >= 0.75, kind


def test_ratio_and_coverage_of_known_numbers() -> None:
    run = public_runs()[0]
    hours = run.accelerator_hours
    inside = Comparison(run, Quantiles(hours * 0.5, hours * 0.8, hours * 2))
    outside = Comparison(run, Quantiles(hours * 1.1, hours * 2, hours * 3))
    assert inside.within
    assert not outside.within
    assert inside.ratio == pytest.approx(1.25)
    result = coverage([inside, outside])
    assert (result.runs, result.within, result.share) == (2, 1, 0.5)
    assert result.median_error == pytest.approx((0.25 + 0.5) / 2)


@pytest.mark.parametrize("model", ["llama3-70b", "deepseek-v3"])
def test_the_stack_moves_the_interval(model: str) -> None:
    def planned(stack: str | None) -> Estimate:
        cluster = {"accelerator": "H100", "accelerators": 2048}
        goal = {"model": model, "tokens": "10T", "cluster": cluster, "stack": stack}
        return plan(parse(goal), CATALOG).estimate

    defaults, tuned, frontier = (planned(s) for s in ("as-it-comes", "tuned", "frontier"))
    assert defaults.days.p50 > tuned.days.p50 > frontier.days.p50
    unknown = planned(None)
    assert frontier.days.p50 < unknown.days.p50 < defaults.days.p50
    for known in (defaults, tuned, frontier):
        assert known.days.p90 / known.days.p10 < unknown.days.p90 / unknown.days.p10
