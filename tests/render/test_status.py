"""The text of `status`."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from pathlib import Path

from clusterwright.cluster_state.not_read import NotRead
from clusterwright.cluster_state.published import SchedulerView
from clusterwright.operate.results import HourlyCost, UnpricedNodes
from clusterwright.render.status import status_text
from tests.operate.clusters import in_slurm, load, published, report


def test_findings_first_then_tables(tmp_path: Path) -> None:
    spec = load(tmp_path)
    slurm = [in_slurm(1, "IDLE", "DRAIN", reason="xid 79"), *(in_slurm(i) for i in (2, 3, 4))]
    found = report(spec, scheduler=SchedulerView(published(slurm), None))
    lines = status_text(found).splitlines()
    assert lines[0] == (
        "test: hyperpod-slurm, account 111122223333, us-east-1, 2026-11-23 08:00 UTC"
    )
    assert lines[2] == "warning[node-drained]: workers: 1 node drained: ip-workers-1 (xid 79)"
    assert "jobs           1 RUNNING (published 2026-11-23 07:59 UTC)" in lines
    assert "drift          no" in lines
    row = next(line for line in lines if line.startswith("  ip-workers-1"))
    assert row.split() == [
        "ip-workers-1",
        "workers",
        "i-workers-1",
        "Running",
        "IDLE+DRAIN",
        "yes",
        "–",
        "xid",
        "79",
    ]


def test_unknown_parts_and_costs(tmp_path: Path) -> None:
    refused = NotRead("the nodes", "denied", "allow it")
    text = status_text(
        report(load(tmp_path), nodes=refused, scheduler=SchedulerView(None, refused))
    )
    assert "unknown: the nodes: denied\n  hint: allow it\n" in text
    assert "cost per hour  unknown\n" in text
    assert "jobs           unknown\n" in text


def test_cost_with_unpriced_nodes(tmp_path: Path) -> None:
    part = UnpricedNodes("p5.48xlarge", "spot", 2, "spot prices change")
    found = report(load(tmp_path))
    text = status_text(replace(found, cost=HourlyCost(Decimal("10.5"), (part,))))
    assert (
        "cost per hour  at least 10.50 USD; 2 nodes p5.48xlarge (spot) without a price: "
        "spot prices change\n"
    ) in text
