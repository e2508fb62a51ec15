"""Formulas with numbers and sources."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest

from clusterwright.catalog import load_catalog
from clusterwright.sizing.estimate import plan
from clusterwright.sizing.goal import parse
from clusterwright.sizing.plan_types import Plan

CATALOG = load_catalog()


TODAY = dt.date(2026, 11, 21)


def planned(**goal: Any) -> Plan:
    return plan(parse(goal), CATALOG, today=TODAY)


def on(accelerator: str, count: int | None = None) -> dict[str, Any]:
    return {"accelerator": accelerator, "accelerators": count}


def test_explanation_has_numbers_and_sources() -> None:
    found = planned(model="deepseek-v3", tokens="14T", precision="fp8", cluster=on("H800", 2048))
    rows = {row.what: row for row in found.explained}
    assert rows["training compute"].value == found.training_flops
    assert rows["days, P50"].value == found.estimate.days.p50
    parts = [row for what, row in rows.items() if what.startswith("memory:")]
    total = rows["memory: total"].value
    assert sum(float(row.value) for row in parts) == pytest.approx(2 * float(total))
    for what in (
        "checkpoint interval, Young",
        "checkpoint interval, Daly",
        "checkpoint interval, a tenth of the mean time",
        "goodput",
    ):
        assert rows[what].source
