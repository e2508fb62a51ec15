"""The lower bound of `status` is what the local AWS recorded; the planner names every node."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks import operations
from benchmarks.operations import Status, naming_comparisons, status_comparisons


def test_the_lower_bound_is_the_recorded_pages(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    status = Status(tmp_path)
    record = tmp_path / "status-calls-0.jsonl"
    record.write_text(json.dumps({"operation": "ListClusterNodes"}) + "\n")
    monkeypatch.setattr(Status, "_server", lambda *_: None)
    asked = []

    def seconds(_: Status, latency_ms: int) -> float:
        asked.append(latency_ms)
        names = ["DescribeCluster", *["ListClusterNodes"] * 11]
        with record.open("a") as stream:
            stream.writelines(json.dumps({"operation": name}) + "\n" for name in names)
        return 2.5 if latency_ms else 1.0

    monkeypatch.setattr(Status, "_seconds", seconds)
    assert status.lower_bound() == 1.1
    assert status.above_start_up() == 1.5
    assert asked == [0, *[100, 0] * 3]


def test_targets(tmp_path: Path) -> None:
    (status,) = status_comparisons(tmp_path)
    assert status.target_ratio == 1.6
    assert "1,024 nodes" in status.name


def test_every_bad_node_is_named_in_the_fewest_rounds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(operations, "SIMULATED_NODES", 16)
    operations._naming.cache_clear()
    rounds, tests = naming_comparisons()
    assert (rounds.ours(), rounds.beside()) == (2.0, 2.0)
    assert (tests.ours(), tests.beside()) == (20.0, 16.0)
    operations._naming.cache_clear()
