"""The report of `report cost` as text."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from clusterwright.cluster_spec import load_spec
from clusterwright.goodput.node_cost import NodeRate, node_cost_report
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
