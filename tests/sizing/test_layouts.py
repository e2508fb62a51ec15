"""Layouts in a plan."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest

from clusterwright.catalog import load_catalog
from clusterwright.sizing.errors import GoalError
from clusterwright.sizing.estimate import plan
from clusterwright.sizing.goal import parse
from clusterwright.sizing.plan_types import Plan

CATALOG = load_catalog()


TODAY = dt.date(2026, 11, 21)


def planned(**goal: Any) -> Plan:
    return plan(parse(goal), CATALOG, today=TODAY)


def on(accelerator: str, count: int | None = None) -> dict[str, Any]:
    return {"accelerator": accelerator, "accelerators": count}


P5 = {"instance_type": "p5.48xlarge", "nodes": 256}


def test_smallest_fitting_layout_is_noted() -> None:
    found = planned(model="llama3-70b", tokens="1T", cluster=P5)
    note = next(text for text in found.chosen.notes if "fits from" in text)
    count = int(note.split("fits from ")[1].split()[0].replace(",", ""))
    smallest = planned(model="llama3-70b", tokens="1T", cluster=on("H100", count))
    assert smallest.estimate.days.p50 > found.estimate.days.p50
    with pytest.raises(GoalError, match="do not fit"):
        planned(model="llama3-70b", tokens="1T", cluster=on("H100", count // 2))
