"""What a change costs, and whether the spec allows it."""

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
from clusterwright.cost.rates import hourly_rate
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
    assert delta.increase_percent == 1500
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


def test_what_is_added_without_a_price_is_unknown_not_0(tmp_path: Path) -> None:
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
def test_a_change_and_its_way_back_cancel_out(
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
def test_the_increase_is_held_to_the_spec(
    tmp_path: Path, count: int, limit: float, status: str
) -> None:
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


def test_no_limit_no_gate(tmp_path: Path) -> None:
    spec = specs.load(tmp_path)
    same = bill(tmp_path)
    assert increase_gate(spec, cost_delta(same, same)) is None


# -- the rate of one instance ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "kind", "region", "platform", "usd", "hint"),
    [
        ("p5.48xlarge", "on-demand", "us-east-1", "hyperpod-slurm", "66.048", None),
        ("p5.48xlarge", "on-demand", "us-east-1", "eks", "55.04", None),
        ("p5.48xlarge", "reservation", "us-east-1", "parallelcluster", "55.04", None),
        ("p5.48xlarge", "on-demand", "us-west-2", "hyperpod-slurm", None, None),
        ("p5.48xlarge", "on-demand", "us-west-2", "eks", "55.04", None),
        ("p5.48xlarge", "spot", "us-east-1", "eks", None, None),
        ("p5.48xlarge", "training-plan", "us-east-1", "hyperpod-slurm", None, "45.7675"),
        ("p5.48xlarge", "capacity-block", "us-east-1", "eks", None, "41.528"),
        ("p5e.48xlarge", "on-demand", "us-east-1", "eks", None, None),
        ("no.such", "on-demand", "us-east-1", "eks", None, None),
    ],
)
def test_a_rate_is_known_or_says_why_not(
    name: str, kind: str, region: str, platform: str, usd: str | None, hint: str | None
) -> None:
    rate = hourly_rate(load_catalog(), name, kind, region, platform=platform, today=TODAY)
    assert rate.usd_per_hour == (None if usd is None else Decimal(usd))
    assert rate.hint_usd_per_hour == (None if hint is None else Decimal(hint))
    assert rate.known is (rate.reason is None) is (rate.settle_with is None)
    if rate.known:
        assert rate.origin == "catalogue"
        assert rate.source
        assert rate.age_days is not None
        assert rate.stale is (rate.age_days > 90)


def test_a_rate_of_the_users_comes_first_and_another_kind_of_capacity_is_refused() -> None:
    entry = {
        "instance_type": "p5.48xlarge", "kind": "training-plan", "region": "us-east-1", "usd": 40,
        "unit": "instance-hour", "source": "s", "date": "2026-11-01",
    }  # fmt: skip
    catalog = load_catalog(prices_override=[entry])
    arguments: dict[str, Any] = {"platform": "hyperpod-slurm", "today": TODAY}
    rate = hourly_rate(catalog, "p5.48xlarge", "training-plan", "us-east-1", **arguments)
    assert (rate.usd_per_hour, rate.origin, rate.age_days) == (40, "user", 19)
    monthly = load_catalog(prices_override=[{**entry, "unit": "instance-month"}])
    rate = hourly_rate(monthly, "p5.48xlarge", "training-plan", "us-east-1", **arguments)
    assert (rate.usd_per_hour, rate.known) == (None, False)
    with pytest.raises(ValueError, match="is not a kind of capacity"):
        hourly_rate(catalog, "p5.48xlarge", "mix", "us-east-1", **arguments)
