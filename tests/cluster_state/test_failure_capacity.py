"""Purchased capacity that ended, ends soon or is not usable."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from clusterwright.cluster_state import failure_capacity
from clusterwright.platforms.loading import load_cluster
from tests.support import specs

NOW = dt.datetime(2026, 11, 23, 8, tzinfo=dt.UTC)
SESSION: Any = object()


@pytest.mark.parametrize(
    ("status", "hours", "words"),
    [
        ("Active", 48, None),
        ("Active", 1, "is ending at 2026-11-23 09:00 UTC"),
        ("Active", -1, "has ended"),
        ("Expired", None, "has ended"),
        ("Failed", 48, "is not active: its state is Failed"),
        ("Scheduled", 48, None),
    ],
)
def test_training_plans(
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    status: str,
    hours: int | None,
    words: str | None,
) -> None:
    end = None if hours is None else NOW + dt.timedelta(hours=hours)
    plan = SimpleNamespace(status=status, end=end)
    monkeypatch.setattr(failure_capacity.sagemaker, "training_plan", lambda *_: plan)
    capacity = {"kind": "training-plan", "arn": specs.PLAN}
    spec = specs.write(tmp_path / "s.yaml", specs.changed({"compute.1.capacity": capacity}))
    found = failure_capacity.of_capacity(SESSION, load_cluster(spec).cluster, NOW)
    assert [words in e.text for e in found if words] == ([True] if words else [])
    assert len(found) == (1 if words else 0)


def test_reservation_that_does_not_exist(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(failure_capacity.sagemaker, "training_plan", lambda *_: None)
    capacity = {"kind": "training-plan", "arn": specs.PLAN}
    spec = specs.write(tmp_path / "s.yaml", specs.changed({"compute.1.capacity": capacity}))
    (found,) = failure_capacity.of_capacity(SESSION, load_cluster(spec).cluster, NOW)
    assert found.text.endswith("does not exist")
