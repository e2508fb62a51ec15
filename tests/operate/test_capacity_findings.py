"""Findings on purchases: status, end, and instances out of order."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import Any

import pytest

from clusterwright.cluster_state.not_read import NotRead
from clusterwright.operate.capacity_findings import (
    capacity_findings,
    capacity_status,
    nodes_end,
    unread_parts,
)
from clusterwright.operate.results import OperatingFinding
from tests.operate.clusters import NOW, cluster_state, load, minutes, plan
from tests.support import specs

BLOCK = {"id": "cr-1", "kind": "capacity-block", "status": "active"}


def findings(folder: Path, found: Any) -> list[OperatingFinding]:
    state = cluster_state(load(folder), capacity={specs.PLAN: found})
    return list(capacity_findings(state))


@pytest.mark.parametrize(
    ("left", "severity"),
    [
        (minutes(40), "error"),
        (dt.timedelta(hours=2), "error"),
        (dt.timedelta(hours=24), "warning"),
    ],
)
def test_end(tmp_path: Path, left: dt.timedelta, severity: str) -> None:
    (found,) = findings(tmp_path, plan(ends=NOW + left))
    assert (found.code, found.severity) == ("capacity-ends", severity)
    assert findings(tmp_path, plan(ends=NOW + dt.timedelta(hours=24, minutes=1))) == []


def test_a_block_ends_earlier_for_its_instances(tmp_path: Path) -> None:
    block = plan(id="cr-1", kind="capacity-block", status="active", ends=NOW + minutes(45))
    (found,) = findings(tmp_path, block)
    assert found.message == (
        "cr-1 ends at 2026-11-23 08:45 UTC, in 45 min; EC2 begins to terminate its instances at "
        "2026-11-23 08:15 UTC"
    )
    (found,) = findings(tmp_path, plan(kind="capacity-block", ends=NOW + minutes(20)))
    assert found.message.endswith("EC2 has begun to terminate its instances")


def test_when_instances_end() -> None:
    end = NOW + minutes(120)
    assert nodes_end(plan(ends=end)) == end
    assert nodes_end(plan(ends=None)) is None
    block = plan(kind="capacity-block", ends=end)
    assert nodes_end(block) == end - minutes(30)
    ultra = plan(kind="capacity-block", ends=end, instance_type="p6e-gb200.36xlarge")
    assert nodes_end(ultra) == end - minutes(60)


@pytest.mark.parametrize(
    ("changes", "code", "severity"),
    [
        ({"status": "Expired"}, "capacity-not-active", "error"),
        ({"status": "payment-failed"}, "capacity-not-active", "error"),
        ({"status": "scheduled"}, "capacity-not-active", "warning"),
        ({"unhealthy": 2}, "capacity-unhealthy", "info"),
        ({"unhealthy": 1, **BLOCK}, "capacity-unhealthy", "warning"),
        ({"interconnect": "impaired", **BLOCK}, "capacity-interconnect", "error"),
    ],
)
def test_status(tmp_path: Path, changes: dict[str, Any], code: str, severity: str) -> None:
    (found,) = findings(tmp_path, plan(**changes))
    assert (found.code, found.severity) == (code, severity)


def test_what_was_not_read_is_listed(tmp_path: Path) -> None:
    denied = NotRead("the health of cr-1", "denied")
    for found in (NotRead("cr-1", "denied"), plan(**BLOCK, health=denied)):
        state = cluster_state(load(tmp_path), capacity={"cr-1": found})
        assert [p.reason for p in unread_parts(state) if isinstance(p, NotRead)] == ["denied"]


def test_missing_and_unread(tmp_path: Path) -> None:
    (found,) = findings(tmp_path, None)
    assert found.message == "run-1 does not exist in this account and region"
    assert findings(tmp_path, NotRead("x", "denied")) == []
    row = capacity_status("cr-1", NotRead("x", "denied"), "reservation")
    assert (row.id, row.kind, row.status, row.used) == ("cr-1", "reservation", None, None)
