"""The cost of a change, and its gate."""

from __future__ import annotations

import dataclasses
import datetime as dt
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clusterwright.catalog import load_catalog
from clusterwright.cost.bill import Bill
from clusterwright.cost.budget import increase_gate
from clusterwright.cost.delta import cost_delta
from clusterwright.cost.estimate import estimate
from tests.support import specs

TODAY = dt.date(2026, 11, 20)


P5 = Decimal("66.048")


def bill(folder: Path, **changes: Any) -> Bill:
    return estimate(specs.load(folder, changes).cluster, load_catalog(), today=TODAY)


def complete(found: Bill) -> Bill:
    return dataclasses.replace(found, lines=tuple(line for line in found.lines if line.known))


def test_a_larger_group_is_one_change(tmp_path: Path) -> None:
    before, after = bill(tmp_path), bill(tmp_path, **{"compute.1.count": 64})
    delta = cost_delta(before, after)
    (change,) = delta.changed
    assert (change.change, change.hourly_usd) == ("changed", 60 * P5)
    assert delta.monthly_usd == 60 * P5 * 730
    assert delta.unknown_changes == 0
    assert delta.increase_percent == 100 * delta.monthly_usd / before.total.monthly_usd
    compute = {one.component: one for one in delta.components}["compute"]
    assert compute.before_hourly_usd == 4 * P5
    assert compute.hourly_usd == 60 * P5


def test_another_tier_of_one_file_system_is_one_change(tmp_path: Path) -> None:
    before = bill(tmp_path, **{"storage.lustre": [specs.LUSTRE]})
    slower = {**specs.LUSTRE, "throughput_mbps_per_tib": 500, "capacity_gib": 9600}
    delta = cost_delta(before, bill(tmp_path, **{"storage.lustre": [slower]}))
    (change,) = delta.changed
    assert change.change == "changed"
    assert change.monthly_usd == 9600 * Decimal("0.34") - 4800 * Decimal("0.6")


@pytest.mark.parametrize(("before", "after"), [(64, 72), (72, 64)])
def test_a_scenario_is_the_difference_of_both_sides(
    tmp_path: Path, before: int, after: int
) -> None:
    """Nodes of another's training plan have an indication only."""
    arn = "arn:aws:sagemaker:us-east-1:111122223333:training-plan/p"
    kind = {
        "compute.1.instance_type": "p5en.48xlarge",
        "compute.1.capacity": {"kind": "training-plan", "arn": arn},
    }
    bills = [bill(tmp_path, **kind, **{"compute.1.count": count}) for count in (before, after)]
    (change,) = cost_delta(*bills).changed
    assert change.before is not None
    assert change.after is not None
    first, last = change.before.indicative_monthly_usd, change.after.indicative_monthly_usd
    assert first is not None
    assert last is not None
    assert first == last * before / after
    assert change.indicative_monthly_usd == last - first
    scenario = cost_delta(*bills).scenario
    assert scenario is not None
    assert (scenario.monthly_usd > 0) == (after > before)


def test_an_addition_without_a_price_is_unknown(tmp_path: Path) -> None:
    delta = cost_delta(bill(tmp_path), bill(tmp_path, **{"compute.1.ebs": {"capacity_gib": 100}}))
    (change,) = delta.changed
    assert (change.change, change.hourly_usd, change.monthly_usd) == ("added", None, None)
    assert delta.unknown_changes == 1
    assert delta.monthly_usd == 0


def test_a_new_cluster_is_all_added(tmp_path: Path) -> None:
    after = bill(tmp_path)
    delta = cost_delta(dataclasses.replace(after, lines=()), after)
    assert {line.change for line in delta.lines} == {"added"}
    assert delta.increase_percent is None
    assert delta.monthly_usd == after.total.monthly_usd


@given(counts=st.tuples(st.integers(0, 500), st.integers(0, 500)))
@settings(max_examples=25)
def test_a_change_and_its_reversal_cancel_out(
    tmp_path_factory: pytest.TempPathFactory, counts: tuple[int, int]
) -> None:
    folder = tmp_path_factory.getbasetemp()
    one, other = (bill(folder, **{"compute.1.count": count}) for count in counts)
    there, back = cost_delta(one, other), cost_delta(other, one)
    assert there.monthly_usd == -back.monthly_usd
    assert sum(c.monthly_usd for c in there.components) == pytest.approx(there.monthly_usd)
    known = sum((line.monthly_usd or 0 for line in there.lines), Decimal(0))
    assert known == pytest.approx(there.monthly_usd)


@pytest.mark.parametrize(
    ("count", "limit", "status"),
    [(6, 50, "pass"), (6, 49.9, "fail"), (2, 0, "pass"), (4, 0, "pass"), (5, 0, "fail")],
)
def test_the_increase_has_a_gate(tmp_path: Path, count: int, limit: float, status: str) -> None:
    before = complete(bill(tmp_path))
    spec = specs.load(
        tmp_path, {"compute.1.count": count, "budget": {"max_increase_percent": limit}}
    )
    after = complete(estimate(spec.cluster, load_catalog(), today=TODAY))
    gate = increase_gate(spec, cost_delta(before, after))
    assert gate is not None
    assert gate.status == status, gate.message
    assert gate.position is not None
    assert gate.path == "budget.max_increase_percent"


def test_an_increase_that_may_be_larger_than_known_is_unknown(tmp_path: Path) -> None:
    before = bill(tmp_path)
    spec = specs.load(
        tmp_path,
        {"compute.1.ebs": {"capacity_gib": 100}, "budget": {"max_increase_percent": 5}},
    )
    gate = increase_gate(
        spec, cost_delta(before, estimate(spec.cluster, load_catalog(), today=TODAY))
    )
    assert gate is not None
    assert gate.status == "unknown"
    new = dataclasses.replace(before, lines=())
    gate = increase_gate(spec, cost_delta(new, before))
    assert gate is not None
    assert (gate.status, gate.limit_usd) == ("unknown", 0)


def test_no_increase_limit_has_no_gate(tmp_path: Path) -> None:
    spec = specs.load(tmp_path)
    same = bill(tmp_path)
    assert increase_gate(spec, cost_delta(same, same)) is None
