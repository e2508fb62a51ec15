"""The report of `report cost` as text."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace
from pathlib import Path

from clusterwright.cluster_spec import load_spec
from clusterwright.goodput.node_cost import NodeRate, node_cost_report
from clusterwright.goodput.results import Spent, SpentDay, SpentTag
from clusterwright.render.node_cost import MAXIMUM_ROWS, node_cost_text
from tests.support.goodput_reports import JOBS

SPEC = Path(__file__).parents[2] / "configs/examples/p5-2.yaml"


def text(jobs: int = 1, usd: float | None = 36.0) -> str:
    records = [replace(JOBS[0], job_id=str(i), name=f"run-{i}") for i in range(jobs)]
    report = node_cost_report(
        load_spec(SPEC).cluster,
        records,
        lambda group: NodeRate(usd, "no source states it"),
        file="prod.yaml",
    )
    return node_cost_text(report)


def test_days_then_runs() -> None:
    lines = text().splitlines()
    assert lines[0] == (
        "p5-2: cost of the compute nodes, 2025-11-24 15:59 to 2025-11-24 16:06 UTC"
    )
    assert lines[3].split()[:4] == ["day", "node-hours", "with", "jobs"]
    assert lines[4].split()[0] == "2025-11-24"
    assert lines[5].split()[0] == "total"
    assert [line for line in lines if line in ("Runs", "Users", "Accounts")] == [
        "Runs",
        "Users",
        "Accounts",
    ]
    assert lines[-1] == "forecast: 1,728 USD per day for the compute nodes of the file"
    assert all(len(line) <= 100 for line in lines)


def test_many_runs_are_cut() -> None:
    assert "  and 5 more: --format json" in text(MAXIMUM_ROWS + 5).splitlines()


def test_unknown_rate() -> None:
    found = text(usd=None)
    assert "unknown: rate of workers: no source states it" in found
    assert "forecast" not in found


def test_cost_explorer_below_the_forecast() -> None:
    report = node_cost_report(
        load_spec(SPEC).cluster, JOBS, lambda group: NodeRate(36.0), file="prod.yaml"
    )
    day = dt.date(2026, 11, 1)
    days = (
        SpentDay(day, 1000.0, 1234.4, 1300.0, estimated=True, note="estimated", comparable=True),
        SpentDay(
            day.replace(day=2), 1000.0, None, None, estimated=False, note="not yet",
            comparable=False,
        ),
    )  # fmt: skip
    same = SpentDay(
        day.replace(day=3), 1000.0, 999.6, -0.3, estimated=False, note="", comparable=True
    )
    actual = Spent(SpentTag("tag", "dev", "Active"), (*days, same), 7.0, ("A note. " * 20,))
    lines = node_cost_text(replace(report, actual=actual)).split("Cost Explorer, USD")[1]
    assert lines.splitlines()[:7] == [
        " with tag=dev",
        "  day          ours  instances  difference  all services",
        "  2026-11-01  1,000      1,234        +234         1,300  estimated",
        "  2026-11-02  1,000    unknown                   unknown  not yet",
        "  2026-11-03  1,000      1,000           0             0",
        "  total       2,000      2,234        +234         1,300  2 of 3 days",
        "  without the tag, in the whole account, on all days of the period: 7 USD",
    ]
    assert all(len(line) <= 100 for line in lines.splitlines())
