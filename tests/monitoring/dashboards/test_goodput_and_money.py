"""The dashboard of goodput and money."""

from __future__ import annotations

import dataclasses
from decimal import Decimal

from clusterwright.monitoring.dashboards import complete
from clusterwright.monitoring.metrics import metrics
from clusterwright.monitoring.selectors import holders
from tests.support.monitored_clusters import (
    GPUS,
    KUBERNETES,
    TRAINIUM,
    facts_with,
    panels,
    rendered,
)


def _money(**changes: object) -> dict[str, str]:
    facts = dataclasses.replace(facts_with(frozenset(metrics())), **changes)  # type: ignore[arg-type]
    rows = {row.title: row for row in complete("goodput_and_money", facts).rows}
    return {
        f"{panel.title} {query.legend}".strip(): query.expression
        for panel in rows.get("Money", rows["Shares"]).panels
        for query in panel.queries
    }


def test_cost_per_hour_is_nodes_times_their_price() -> None:
    nodes = 'node_boot_time_seconds{cluster="$cluster",group="workers"}'
    found = _money()
    assert found["Cost per hour workers"] == f"(count({nodes}) or vector(0)) * 2.5"
    assert found["Cost per hour of nodes without a job workers"] == (
        f"(count({nodes} unless on (node) {holders()}) or vector(0)) * 2.5"
    )
    assert found["Cost in this period"] == (
        f"avg_over_time(((count({nodes}) or vector(0)) * 2.5)[$__range:5m]) * $__range_s / 3600"
    )


def test_groups_are_added() -> None:
    prices = {"a": Decimal(10), "b": Decimal("0.5")}
    found = _money(usd_per_node_hour=prices, accelerated=("a",))
    assert found["Cost in this period"].count("count(") == 2
    assert found["Cost per hour a"].endswith("* 10")
    assert found["Cost per hour b"].endswith("* 0.5")
    assert [name for name in found if "unused GPUs" in name] == [
        "Cost of unused GPUs, in this period", "Cost per hour of unused GPUs a",
    ]  # fmt: skip


def test_an_unknown_price_is_named_and_not_counted_as_zero() -> None:
    dashboard = rendered(TRAINIUM)["goodput_and_money"]
    assert "The price of workers is unknown and not counted." in dashboard.description
    assert not any("Cost" in name for name in panels("goodput_and_money", TRAINIUM))


def test_without_slurm_no_job_is_known() -> None:
    names = set(panels("goodput_and_money", KUBERNETES))
    assert "Money: Cost per hour of unused GPUs" in names
    assert "Money: Cost per hour of nodes without a job" not in names
    assert "Money: Cost per hour of nodes without a job" in panels("goodput_and_money", GPUS)
