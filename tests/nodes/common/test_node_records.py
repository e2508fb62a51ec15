"""What is known of a node: the last result, since when, and the history."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from clusterwright_common import node_records, records


def result(verdict: str, **more: Any) -> dict[str, Any]:
    empty = {"reason": "", "action": "none", "group": "workers", "instance_id": "i-0abc"}
    return {"name": "n1", "verdict": verdict, **empty, **more}


def test_since_is_kept_while_verdict_and_instance_are_the_same(tmp_path: Path) -> None:
    for at, verdict, instance, since in (
        ("2026-11-27T10:00:00Z", "accepted", "i-0abc", "2026-11-27T10:00:00Z"),
        ("2026-11-27T11:00:00Z", "accepted", "i-0abc", "2026-11-27T10:00:00Z"),
        ("2026-11-27T12:00:00Z", "rejected", "i-0abc", "2026-11-27T12:00:00Z"),
        ("2026-11-27T13:00:00Z", "rejected", "i-0def", "2026-11-27T13:00:00Z"),
    ):
        node_records.keep(tmp_path, result(verdict, instance_id=instance), at, "quick", at)
        found = records.read(node_records.path_of(tmp_path, "n1"))
        assert (found["state"], found["since"], found["tested_at"]) == (verdict, since, at)
    assert [row["verdict"] for row in found["history"]] == [
        *("accepted", "accepted", "rejected", "rejected")
    ]


def test_the_history_has_an_end_and_one_entry_of_a_run(tmp_path: Path) -> None:
    for number in range(node_records.MOST_HISTORY + 3):
        for _ in range(2):
            node_records.keep(tmp_path, result("accepted"), f"run-{number}", "quick", "at")
    history = records.read(node_records.path_of(tmp_path, "n1"))["history"]
    assert [row["run"] for row in history] == [
        f"run-{number}" for number in range(3, node_records.MOST_HISTORY + 3)
    ]
